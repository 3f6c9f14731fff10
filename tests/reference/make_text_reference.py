#!/usr/bin/env python3
"""reference/make_text_reference.py - the tokens of scikit-learn, for the tests of text.

    make_text_reference.py DATA

DATA is the folder of data sets, with text/20news-bydate.tar.zst. Written beside this script:

text-words2.tsv   texts (with \\n for newlines) and the tokens of CountVectorizer, spaces between
text-points.tsv   ranges of code points with a digest of the tokens of texts with each of them
text-20news.tsv   20 Newsgroups bydate: documents, tokens, distinct tokens and a digest, per subset,
                  parts removed (as fetch_20newsgroups removes them) and n-grams

Digests are sums modulo 2^64 of the FNV-1a hashes of tokens, each times its position in the text from
1 on (n-grams: times 1, for their order is not fixed).
"""
import pathlib
import subprocess
import sys
import tarfile
import unicodedata

import sklearn
from sklearn.datasets._twenty_newsgroups import (strip_newsgroup_footer, strip_newsgroup_header,
                                                 strip_newsgroup_quoting)
from sklearn.feature_extraction.text import CountVectorizer

HERE = pathlib.Path(__file__).resolve().parent
DATA = pathlib.Path(sys.argv[1])
MASK = (1 << 64) - 1
known = {}

TEXTS = [
    "A very close game", "I'm 5 years_old, e-mail: x@y.z", "ab a b_ _c __ 1 22 3x",
    "ÉCOLE Ünïcödé STRASSE Straße ﬁn", "İstanbul ISPARTA ığdır", "ΟΔΟΣ ΟΔΟΣ' ΟΔΟΣ'Α ΣΑΣ Σ ΑΣ.Σ ΑΣ·",
    "cafe\u0301 café ma\u0308dchen", "北京 欢迎 你 東京都 カメラ ｶﾒﾗ", "กินน้ำ ភាសា ພາສາ", "한국어 ᄒ\u1161\u11ab",
    "١٢٣ ½ ²³ Ⅻ ⅻ ①② ㊿", "hello\u00adworld zero\u200bwidth no\u00a0break", "don’t ‘quote’ “x” – —",
    "𝐅𝐑𝐄𝐄 𝒳y 🎁🎁 x🎁y", "tab\tnewline\nnext\r\nline", "naïve_Ωmega ǅungla ǈ", "ﬀ ŉ ǰ ΐ ẖ ẞ",
    "Ａｂｃ１２ ＿＿", "ªº ªx ʰʰ ˆˆ", "मराठी हिन्दी தமிழ்", "עִבְרִית العربيّة", "a\u0345Σ\u0345 Σ\u0345a",
]
FORMS = ["x%syz", "a\u03a3%sb", "b%s\u03a3 c", "%s%s"]


def fnv(token):
    if token not in known:
        h = 0xCBF29CE484222325
        for byte in token.encode():
            h = (h ^ byte) * 0x100000001B3 & MASK
        known[token] = h
    return known[token]


def digest(tokens, ordered=True):
    return sum(fnv(token) * (i if ordered else 1) for i, token in enumerate(tokens, 1)) & MASK


def write(name, lines):
    head = f"# Python {sys.version.split()[0]}, Unicode {unicodedata.unidata_version}, " \
           f"scikit-learn {sklearn.__version__}; made by make_text_reference.py"
    (HERE / name).write_text("\n".join([head, *lines]) + "\n", newline="")


def assigned():
    """Ranges of assigned code points, at most 4096 long; no surrogates, no line ends."""
    start = None
    for c in range(1, 0x110001):
        inside = c < 0x110000 and c not in (0x0A, 0x0D) and not 0xD800 <= c <= 0xDFFF \
            and unicodedata.category(chr(c)) != "Cn"
        if start is not None and (not inside or c - start == 4096):
            yield start, c - 1
            start = None
        if inside and start is None:
            start = c


def text_of(raw):
    """UTF-8, or Windows-1252 with its undefined bytes as in Latin-1."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return "".join(bytes([b]).decode("cp1252", "ignore") or chr(b) for b in raw)


def newsgroups():
    command = ["zstd", "-dc", DATA / "text" / "20news-bydate.tar.zst"]
    posts = {"train": [], "test": []}
    with subprocess.Popen(command, stdout=subprocess.PIPE) as unpack:
        with tarfile.open(fileobj=unpack.stdout, mode="r|") as archive:
            for member in archive:
                if member.isfile():
                    subset = "train" if "-train/" in member.name else "test"
                    posts[subset].append(text_of(archive.extractfile(member).read()))
    for subset in posts:
        for strip, removals in (("none", []),
                                ("headers,footers,quotes",
                                 [strip_newsgroup_header, strip_newsgroup_footer,
                                  strip_newsgroup_quoting])):
            for ngrams in (1, 2):
                analyze = CountVectorizer(ngram_range=(1, ngrams)).build_analyzer()
                tokens, words, total = 0, set(), 0
                for text in posts[subset]:
                    for remove in removals:
                        text = remove(text)
                    found = analyze(text)
                    tokens += len(found)
                    words.update(found)
                    total += digest(found, ordered=ngrams == 1)
                yield f"{subset}\t{strip}\t1..{ngrams}\t{len(posts[subset])}\t{tokens}\t" \
                      f"{len(words)}\t{total & MASK:016x}"


words2 = CountVectorizer().build_analyzer()
write("text-words2.tsv", (text.replace("\r", "\\r").replace("\n", "\\n").replace("\t", "\\t") + "\t" + " ".join(words2(text))
                          for text in TEXTS))
write("text-points.tsv", (f"{first:x}\t{last:x}\t" + "\t".join(
    f"{digest(words2(chr(10).join(form.replace('%s', chr(c)) for c in range(first, last + 1)))):016x}"
    for form in FORMS) for first, last in assigned()))
write("text-20news.tsv", newsgroups())
