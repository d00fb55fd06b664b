"""XML as a tree of elements that know their lines. No document types and no entities of one's own: nothing is fetched,
and no text multiplies. What a terminal would obey is refused, as in YAML.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from docksim.config.errors import Problem, ScenarioError
from docksim.config.loading.reading import odd_text

DEEPEST = 60


@dataclass(frozen=True)
class Element:
    """A tag with its attributes and what is inside; text between tags is left out."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)

    def all(self, tag: str) -> Iterator[Element]:
        return (child for child in self.children if child.tag == tag)

    def first(self, tag: str) -> Element | None:
        return next(self.all(tag), None)


def read_xml(text: str, file: str) -> Element:
    """The root element of a text; what is wrong with it is a ScenarioError with its line."""
    reader = _Reader(file)
    try:
        reader.parser.Parse(text, True)
    except expat.ExpatError as error:
        words = expat.errors.messages[error.code]
        message = f"XML syntax: {words} (column {error.offset + 1}); close or mend the element there"
        raise ScenarioError([Problem(file, error.lineno, "", message)]) from None
    except ValueError as error:
        raise ScenarioError([Problem(file, None, "", f"not valid XML: {error}")]) from None
    return reader.open[0].children[0]


class _Reader:
    """Builds the tree while the parser reads."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.open = [Element("", {}, 0)]
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.StartDoctypeDeclHandler = self.refuse_doctype

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, self.parser.CurrentLineNumber)
        if len(self.open) > DEEPEST:
            self.refuse(f"elements nested more than {DEEPEST} levels deep")
        odd = next(filter(None, map(odd_text, attributes.values())), "")
        if odd:
            self.refuse(odd)
        self.open[-1].children.append(element)
        self.open.append(element)

    def end(self, _: str) -> None:
        self.open.pop()

    def refuse_doctype(self, *_: object) -> None:
        self.refuse("a document type (<!DOCTYPE ...>) may define entities, and is not read; remove it")

    def refuse(self, message: str) -> None:
        raise ScenarioError([Problem(self.file, self.parser.CurrentLineNumber, "", message)])
