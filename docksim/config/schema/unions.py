"""Unions of parts, told apart by what is written in them: by the value of one key, or by which key is there.

A union is `Annotated[A | B, ToldByValue("type")]`; which value or key means which member is read from the members.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Union, get_args

from pydantic import BeforeValidator, Discriminator, GetCoreSchemaHandler, Tag
from pydantic_core import CoreSchema

from docksim.config.errors import did_you_mean, one_of, shown
from docksim.config.schema.fields import Part, refuse

Members = Sequence[type[Part]]


class Told:
    """How the members of a union are told apart."""

    def member(self, members: Members, value: Any) -> type[Part] | None:
        """The one that a mapping, or a part, means."""
        raise NotImplementedError

    def check(self, members: Members, value: Any) -> None:
        """Refuse, with a suggestion, what means none of them."""
        raise NotImplementedError

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        members = get_args(source)

        def checked(value: Any) -> Any:
            self.check(members, value)
            return value

        def tag(value: Any) -> str | None:
            member = type(value) if isinstance(value, Part) else self.member(members, value)
            return None if member is None else _tag(member)

        tagged: Any = Union[tuple(Annotated[member, Tag(_tag(member))] for member in members)]  # noqa: UP007
        return handler.generate_schema(Annotated[tagged, Discriminator(tag), BeforeValidator(checked)])


def _tag(member: type[Part]) -> str:
    """In angle brackets: no key looks like that."""
    return f"<{member.__name__}>"


@dataclass(frozen=True)
class ToldByValue(Told):
    """By the value of a key, for which each member lists its own; of those that share it, by most of the keys given."""

    key: str

    def member(self, members: Members, value: Any) -> type[Part] | None:
        word = _read(value, self.key)
        alike = [member for member in members if word in self._words(member)]
        return max(alike, key=lambda member: sum(key in member.model_fields for key in value), default=None)

    def check(self, members: Members, value: Any) -> None:
        words = tuple(dict.fromkeys(word for member in members for word in self._words(member)))
        if not isinstance(value, dict | Part):
            refuse([("", f"expected a mapping with the key '{self.key}' ({one_of(words)}), got {shown(value)}")])
        word = _read(value, self.key)
        if word is None:
            refuse([(self.key, f"missing; choose one of {one_of(words)}")])
        if word not in words:
            hint = did_you_mean(word, words)
            refuse([(self.key, f"{shown(word)} is not known; choose one of {one_of(words)}{hint}")])

    def _words(self, member: type[Part]) -> tuple[str, ...]:
        return get_args(member.model_fields[self.key].annotation)


@dataclass(frozen=True)
class ToldByKey(Told):
    """By the first key of each member. Messages say what is meant, and what to do with several of them."""

    what: str
    several: str

    def member(self, members: Members, value: Any) -> type[Part] | None:
        return next((member for member in members if isinstance(value, dict) and _first(member) in value), None)

    def check(self, members: Members, value: Any) -> None:
        if isinstance(value, Part):
            return
        keys = tuple(map(_first, members))
        if not isinstance(value, dict):
            refuse([("", f"expected {self.what} as a mapping with one of {one_of(keys)}, got {shown(value)}")])
        present = [key for key in keys if key in value]
        if not present:
            hint = next((text for text in (did_you_mean(key, keys) for key in value) if text), "")
            refuse([("", f"{self.what} needs one of {one_of(keys)}; found {one_of(map(str, value))}{hint}")])
        if len(present) > 1:
            refuse([("", f"{self.what} has {' and '.join(present)} together; {self.several}")])


def _first(member: type[Part]) -> str:
    return next(iter(member.model_fields))


def _read(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else getattr(value, key, None)
