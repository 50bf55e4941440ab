"""The words and signs of a sentence: how a text falls into them, and how they are written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from paretonym.errors import SentenceError

# blanks between words are not counted, so that the canonical text of what fits also fits
LONGEST = 10_000
KEYWORDS = frozenset({"and", "or", "not", "in", "is", "missing", "startswith"})
OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
MISWRITTEN = {"==": "=", "<>": "!=", "=>": ">=", "=<": "<=", "≥": ">=", "≤": "<=", "≠": "!="}
BRACKETS = "(){},"
QUOTES = "'\""
SIGNS = f"{BRACKETS}{QUOTES}=<>≥≤≠"
CURLY = "‘’‚“”„"  # what word processors make of quotes
SHOWN = 40


@dataclass(frozen=True, slots=True)
class Token:
    kind: Literal["word", "quoted", "sign", "end"]
    text: str  # without quotes
    position: int  # of its first character, counted from 1
    end: int  # of the character after it

    @property
    def meaning(self) -> str:
        """The keyword or sign that it is; nothing for names, values and the end."""
        keyword = self.text.lower() if self.kind == "word" else ""
        return self.text if self.kind == "sign" else keyword if keyword in KEYWORDS else ""

    @property
    def is_name(self) -> bool:
        """Of a column or a value."""
        return self.kind == "quoted" or (self.kind == "word" and not self.meaning)


def split(text: str) -> list[Token]:
    """All tokens, the last of which is the end."""
    tokens: list[Token] = []
    at = length = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        glued = tokens and tokens[-1].is_name and tokens[-1].end == at + 1
        if glued and (text[at] in QUOTES or _token(text, at).is_name):
            problem = "a quote inside a word; put the whole word in quotes and double the quote"
            raise SentenceError(at + 1, problem)
        token = _token(text, at)
        tokens.append(token)
        at = token.end - 1
        length += token.end - token.position
        if length > LONGEST:
            problem = f"the sentence is longer than {LONGEST:,} characters"
            raise SentenceError(token.position, problem)
    end = tokens[-1].end if tokens else 1
    return [*tokens, Token("end", "", end, end)]


def _token(text: str, at: int) -> Token:
    if text[at] in BRACKETS:
        return Token("sign", text[at], at + 1, at + 2)
    if text[at] in QUOTES:
        return _quoted(text, at)
    if text[at] in CURLY:
        raise SentenceError(at + 1, "a curly quote; use straight ones, ' or \"")
    return _word(text, at) if _in_word(text, at) else _operator(text, at)


def _in_word(text: str, at: int) -> bool:
    return text[at] not in SIGNS and not text[at].isspace() and not text.startswith("!=", at)


def _word(text: str, at: int) -> Token:
    end = at
    while end < len(text) and _in_word(text, end):
        end += 1
    return Token("word", text[at:end], at + 1, end + 1)


def _operator(text: str, at: int) -> Token:
    end = at
    while end < len(text) and text[end] in "=<>≥≤≠!":
        end += 1
    sign = text[at:end]
    if sign not in OPERATORS:
        advice = "a value with signs in it needs quotes"
        hint = f"write {MISWRITTEN[sign]}" if sign in MISWRITTEN else advice
        raise SentenceError(at + 1, f"unknown sign {shown(sign)}; {hint}")
    return Token("sign", sign, at + 1, end + 1)


def _quoted(text: str, at: int) -> Token:
    """Up to the same quote; a doubled one stands for itself."""
    quote = text[at]
    close = at + 1
    while (close := text.find(quote, close)) >= 0 and text.startswith(quote * 2, close):
        close += 2
    if close < 0:
        raise SentenceError(at + 1, "a quote is opened here and never closed")
    return Token("quoted", text[at + 1 : close].replace(quote * 2, quote), at + 1, close + 2)


def as_written(name: str) -> str:
    """In quotes where it would not be read as one word, in those that need the least doubling."""
    one_word = name and name[0] not in CURLY and all(_in_word(name, i) for i in range(len(name)))
    if one_word and name.lower() not in KEYWORDS:
        return name
    quote = "'" if name.count("'") <= name.count('"') else '"'
    return quote + name.replace(quote, quote * 2) + quote


def shown(text: str) -> str:
    """What the job wrote, short and on one line."""
    text = text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
    return f"'{''.join(c if c.isprintable() else ascii(c)[1:-1] for c in text)}'"
