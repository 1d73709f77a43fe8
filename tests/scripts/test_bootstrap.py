"""scripts/bootstrap.py on a copy of the repository's files; nothing is installed for real."""

from __future__ import annotations

import ast
import importlib.util
import os
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "bootstrap.py"


def load_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bootstrap_under_test", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


bootstrap = load_script()


@dataclass
class Installer:
    """Stands for `subprocess`: makes the files that venv would make, keeps what was asked."""

    root: Path
    breaks_at: str = "nothing"
    commands: list[list[str]] = field(default_factory=list)

    def __call__(self, command: list[str]) -> None:
        self.commands.append(command)
        if self.breaks_at in command:
            raise subprocess.CalledProcessError(1, command)
        if "venv" in command:
            make_venv_files(self.root / ".venv")

    @property
    def steps(self) -> list[str]:
        return [
            "venv --clear"
            if "--clear" in each
            else "venv"
            if "venv" in each
            else "package"
            if "--editable" in each
            else Path(each[-1]).name
            for each in self.commands
        ]


def make_venv_files(venv: Path, base: str = str(Path(sys.executable).parent)) -> None:
    python = bootstrap.python_in(venv)
    python.parent.mkdir(parents=True, exist_ok=True)
    python.write_bytes(b"")
    (venv / "pyvenv.cfg").write_text(f"home = {base}\nversion = 3.11.7\n", encoding="utf-8")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("requirements.lock", "requirements-dev.lock", "pyproject.toml"):
        (tmp_path / name).write_text(f"{name}\n", encoding="utf-8")
    return tmp_path


def prepare(root: Path, lock_name: str = "requirements.lock", breaks_at: str = "nothing"):
    installer = Installer(root, breaks_at)
    bootstrap.prepare(root, lock_name, installer)
    return installer.steps


def test_first_call_makes_the_environment_and_the_second_finds_it(root):
    assert prepare(root) == ["venv --clear", "requirements.lock", "package"]
    assert prepare(root) == []


def test_environment_that_cannot_start_is_made_from_nothing(root):
    assert prepare(root) == ["venv --clear", "requirements.lock", "package"]
    bootstrap.python_in(root / ".venv").unlink()
    assert prepare(root) == ["venv --clear", "requirements.lock", "package"]


def test_environment_whose_base_python_was_removed_is_made_from_nothing(root):
    prepare(root)
    make_venv_files(root / ".venv", base=str(root / "Python310"))
    assert prepare(root) == ["venv --clear", "requirements.lock", "package"]


def test_environment_interrupted_before_pip_was_there_is_completed(root):
    make_venv_files(root / ".venv")
    assert prepare(root) == ["venv", "requirements.lock", "package"]


def test_the_locks_share_one_environment(root):
    prepare(root)
    assert prepare(root, "requirements-dev.lock") == ["requirements-dev.lock", "package"]
    assert prepare(root) == []


@pytest.mark.parametrize("changed", ["requirements.lock", "pyproject.toml"])
def test_change_of_what_is_installed_installs_again(root, changed):
    prepare(root)
    (root / changed).write_text("other\n", encoding="utf-8")
    prepare(root)
    assert prepare(root) == []


def test_installation_broken_off_is_not_taken_for_done_when_the_lock_returns(root):
    prepare(root)
    lock = root / "requirements.lock"
    before = lock.read_bytes()
    lock.write_bytes(b"newer\n")
    with pytest.raises(subprocess.CalledProcessError):
        prepare(root, breaks_at="--editable")
    lock.write_bytes(before)
    assert prepare(root)[-2:] == ["requirements.lock", "package"]


def test_moved_repository_is_installed_again(root, tmp_path_factory):
    prepare(root)
    moved = tmp_path_factory.mktemp("elsewhere") / "moved"
    root.rename(moved)
    assert prepare(moved) == ["requirements.lock", "package"]
    moved.rename(root)


def test_two_at_once_install_once(root):
    entered, let_go = threading.Event(), threading.Event()
    first, second = Installer(root), Installer(root)

    def install_slowly(command: list[str]) -> None:
        entered.set()
        assert let_go.wait(20)
        first(command)

    slow = threading.Thread(
        target=bootstrap.prepare, args=(root, "requirements.lock", install_slowly)
    )
    slow.start()
    assert entered.wait(20)
    waiting = threading.Thread(target=bootstrap.prepare, args=(root, "requirements.lock", second))
    waiting.start()
    assert second.commands == []
    let_go.set()
    for thread in (slow, waiting):
        thread.join(20)
        assert not thread.is_alive()
    assert len(first.steps) == 3
    assert second.steps == []


@pytest.mark.parametrize(
    ("words", "handed"),
    [
        (["rehearse", "--days", "2"], ["-m", "dmf_crawler", "rehearse", "--days", "2"]),
        (["--help"], ["-m", "dmf_crawler", "--help"]),
        ([], ["-m", "dmf_crawler"]),
        (["run", "test"], ["-m", "dmf_crawler", "run", "test"]),
        (["test", "-k", "x"], ["scripts/check.py", "-k", "x"]),
    ],
)
def test_every_argument_but_test_is_handed_to_the_program(root, capfd, words, handed):
    commands: list[list[str]] = []

    def run(command: list[str]) -> int:
        commands.append(command)
        return 3

    assert bootstrap.main(words, root=root, install=Installer(root), run=run) == 3
    (command,) = commands
    assert command[0] == str(bootstrap.python_in(root / ".venv"))
    assert [part.replace(str(root) + os.sep, "").replace(os.sep, "/") for part in command[3:]] == (
        handed
    )
    assert capfd.readouterr().out == ""


def test_tests_get_the_development_lock(root):
    installer = Installer(root)
    bootstrap.main(["test"], root=root, install=installer, run=lambda _: 0)
    assert "requirements-dev.lock" in installer.steps


def test_old_python_is_named_with_what_to_do(root, capsys):
    installer = Installer(root)
    assert bootstrap.main([], root=root, version=(3, 8), install=installer, run=lambda _: 0) == 2
    shown = capsys.readouterr()
    assert "3.11" in shown.err
    assert "3.8" in shown.err
    assert shown.out == ""
    assert installer.commands == []


def test_old_python_can_read_the_script_as_far_as_its_message():
    """Python 3.7 parses it, and evaluates none of its annotations."""
    source = SCRIPT.read_text(encoding="utf-8")
    tree = ast.parse(source, feature_version=(3, 7))
    assert any(
        isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body
    )


@pytest.mark.parametrize("breaks_at", ["venv", "requirements.lock"])
def test_failed_installation_is_told_on_standard_error(root, capsys, breaks_at):
    installer = Installer(root, str(root / breaks_at) if "." in breaks_at else breaks_at)
    exit_code = bootstrap.main(["runs"], root=root, install=installer, run=lambda _: 0)
    shown = capsys.readouterr()
    assert exit_code == 1
    assert "try again" in shown.err
    assert shown.out == ""


def test_interrupted_installation_ends_without_a_traceback(root, capsys):
    def interrupt(command: list[str]) -> None:
        raise KeyboardInterrupt

    assert bootstrap.main(["runs"], root=root, install=interrupt, run=lambda _: 0) == 1
    assert "interrupted" in capsys.readouterr().err


END_WITH_8 = """
import sys
sys.path.insert(0, {scripts!r})
import bootstrap
print("begun", flush=True)
sys.exit(bootstrap.run_to_the_end([sys.executable, "-c", {code!r}]))
"""


def test_exit_code_of_the_command_is_returned():
    script = END_WITH_8.format(scripts=str(SCRIPT.parent), code="raise SystemExit(8)")
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert (ended.returncode, ended.stdout.split()) == (8, [b"begun"])


@pytest.mark.skipif(os.name == "nt", reason="no process becomes another one there")
def test_a_signal_to_the_script_reaches_the_program_itself():
    """Whoever kills the command that he started must not leave a crawler behind."""
    code = "import os; print(os.getpid(), flush=True); input()"
    script = END_WITH_8.format(scripts=str(SCRIPT.parent), code=code)
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        assert int(process.stdout.readline()) == process.pid
        process.kill()


def test_what_an_installer_prints_goes_to_standard_error(capfd):
    source = (
        f"import sys; sys.path.insert(0, {str(SCRIPT.parent)!r}); import bootstrap; "
        "bootstrap.run_aside([sys.executable, '-c', 'print(5)'])"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", source], capture_output=True, check=True, encoding="utf-8"
    )
    assert (done.stdout, done.stderr.strip()) == ("", "5")
