"""Make the pictures of docs/report/ from the newest workbook of a home folder.

    python scripts/bootstrap.py rehearse --days 23 --keep HOME
    python scripts/report_pictures.py HOME docs/report

Needs LibreOffice (`soffice`), `pdftoppm` of poppler, and openpyxl, which the environment in .venv
has. Says what is missing and makes nothing where they are not.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from openpyxl import load_workbook
from openpyxl.worksheet.header_footer import HeaderFooter

PICTURES = (("summary.png", "요약"), ("changes.png", "변경"))
RESOLUTION_DPI = 110
MARGIN_PX = 16
WHITE = 250


def main(arguments: list[str], *, find_program: Callable[[str], str | None] = shutil.which) -> int:
    if len(arguments) != 2:
        print("usage: python scripts/report_pictures.py HOME OUT", file=sys.stderr)
        return 2
    home, out = Path(arguments[0]), Path(arguments[1])
    missing = [name for name in ("soffice", "pdftoppm") if find_program(name) is None]
    if missing:
        print(
            f"not found: {', '.join(missing)}. Install LibreOffice Calc and poppler-utils, "
            "with a Korean font, and try again.",
            file=sys.stderr,
        )
        return 1
    workbooks = sorted((home / "reports").glob("DMF_*.xlsx"))
    if not workbooks:
        print(f"no workbook in {home / 'reports'}; rehearse into it first", file=sys.stderr)
        return 1
    out.mkdir(parents=True, exist_ok=True)
    for name, sheet in PICTURES:
        make_picture(workbooks[-1], sheet, out / name)
        print(f"{out / name}: {sheet} of {workbooks[-1].name}")
    return 0


def make_picture(workbook: Path, sheet: str, picture: Path) -> None:
    """Draw the first printed page of one sheet, without its white borders."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "sheet.xlsx"
        keep_only(workbook, sheet, copy)
        run(
            *("soffice", f"-env:UserInstallation={(Path(folder) / 'profile').as_uri()}"),
            *("--headless", "--convert-to", "pdf", "--outdir", folder, str(copy)),
        )
        pdf = copy.with_suffix(".pdf")
        draw = ("pdftoppm", "-r", str(RESOLUTION_DPI), "-f", "1", "-l", "1", "-singlefile")
        left, top, width, height = find_content(run(*draw, str(pdf)))
        box = ("-x", str(left), "-y", str(top), "-W", str(width), "-H", str(height))
        run(*draw, *box, "-png", str(pdf), str(picture.with_suffix("")))


def keep_only(workbook: Path, sheet: str, copy: Path) -> None:
    """Save a workbook with one of its sheets, without what is printed around it.

    The list alone would be hundreds of pages.
    """
    book = load_workbook(workbook)
    for name in book.sheetnames:
        if name != sheet:
            del book[name]
    book[sheet].HeaderFooter = HeaderFooter()
    book.save(copy)


def find_content(ppm: bytes) -> tuple[int, int, int, int]:
    """Return left, top, width and height of what is not white in a binary PPM, with a margin."""
    magic, size, depth, pixels = ppm.split(b"\n", 3)
    if magic != b"P6" or depth != b"255":
        raise ValueError(f"pdftoppm wrote {magic!r} with depth {depth!r}, expected P6 with 255")
    width, height = map(int, size.split())
    rows = [pixels[3 * width * y : 3 * width * (y + 1)] for y in range(height)]
    inked_rows = [y for y, row in enumerate(rows) if min(row) < WHITE]
    inked_columns = [
        x for x in range(width) if any(min(row[3 * x : 3 * x + 3]) < WHITE for row in rows)
    ]
    if not inked_rows:
        raise ValueError("the page is empty")
    left, top = max(inked_columns[0] - MARGIN_PX, 0), max(inked_rows[0] - MARGIN_PX, 0)
    right = min(inked_columns[-1] + MARGIN_PX, width)
    bottom = min(inked_rows[-1] + MARGIN_PX, height)
    return left, top, right - left, bottom - top


def run(*command: str) -> bytes:
    """Run a program; show what it said when it failed."""
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        print(done.stderr.decode("utf-8", "replace"), file=sys.stderr)
        done.check_returncode()
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
