"""Helpers to read pictures."""

from xml.etree import ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"


def parsed(picture: str) -> ET.Element:
    return ET.fromstring(picture)


def classes(element: ET.Element) -> list[str]:
    return element.get("class", "").split()


def of_class(picture: ET.Element, name: str) -> list[ET.Element]:
    return [element for element in picture.iter() if name in classes(element)]


def place(picture: ET.Element, id_: str) -> ET.Element:
    return next(each for each in of_class(picture, "place") if each.get("data-place") == id_)


def seats(elements: list[ET.Element]) -> list[int]:
    return [int(element.get("data-seat", "")) for element in elements]


def texts(element: ET.Element) -> list[str]:
    return [each.text or "" for each in element.iter(f"{SVG}text")]


def title(picture: ET.Element) -> str:
    return picture.findtext(f"{SVG}title") or ""


def description(picture: ET.Element) -> str:
    return picture.findtext(f"{SVG}desc") or ""
