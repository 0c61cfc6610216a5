"""The folder of the pictures and its page."""

from __future__ import annotations

from pathlib import Path

from tests.pictures.film import FILM, shoot_tour
from tests.pictures.scenes import SCENES, pictures, pictures_of, take_pictures

PAGE = "README.md"


def write_pictures(folder: Path, only: str = "") -> int:
    """Take every picture whose name holds a word, and write them and the page; returns how many were taken."""
    folder.mkdir(parents=True, exist_ok=True)
    taken = take_pictures(pictures(only))
    if only in FILM:
        taken[FILM] = shoot_tour()
    for name, svg in taken.items():
        (folder / f"{name}.svg").write_text(svg)
    (folder / PAGE).write_text(describe_pictures())
    return len(taken)


def describe_pictures() -> str:
    """Write the page: every scene with its picture, and links to other sizes and themes of the desk."""
    parts = [
        "# Pictures\n\nMade by `crossdesk screenshots`, this page too, of the whole program on a paper venue of a fixed"
        " seed in virtual time.\n",
        f"## The tour, key by key\n\n![The tour, key by key]({FILM}.svg)\n",
    ]
    for scene in SCENES:
        shown, *others = pictures_of(scene)
        links = [f"[{picture.size[0]}x{picture.size[1]} {picture.theme}]({picture.name}.svg)" for picture in others]
        about = scene.about[0].upper() + scene.about[1:]
        more = f"\nAlso {', '.join(links)}.\n" if links else ""
        parts.append(f"## {about}\n\n![{about}]({shown.name}.svg)\n{more}")
    return "\n".join(parts)
