from __future__ import annotations

import pytest

from scripts.report_pictures import find_content, main


def test_programs_that_are_missing_are_named(tmp_path, capsys):
    exit_code = main([str(tmp_path), str(tmp_path / "out")], find_program=lambda name: None)

    assert exit_code == 1
    assert "soffice, pdftoppm" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_home_without_a_workbook_is_named(tmp_path, capsys):
    exit_code = main([str(tmp_path), str(tmp_path / "out")], find_program=lambda name: name)

    assert exit_code == 1
    assert "no workbook" in capsys.readouterr().err


def test_two_folders_are_needed(capsys):
    assert main([]) == 2
    assert "HOME OUT" in capsys.readouterr().err


def test_the_content_of_a_page_is_what_is_not_white_with_a_margin():
    width, height = 100, 80
    pixels = bytearray(b"\xff" * (3 * width * height))
    for x, y in ((30, 20), (69, 59)):
        pixels[3 * (width * y + x)] = 0

    content = find_content(b"P6\n100 80\n255\n" + bytes(pixels))

    assert content == (14, 4, 71, 71)


@pytest.mark.parametrize("ppm", [b"P5\n1 1\n255\n\x00", b"P6\n1 1\n255\n\xff\xff\xff"])
def test_a_page_without_content_is_refused(ppm):
    with pytest.raises(ValueError, match=r"P5|empty"):
        find_content(ppm)
