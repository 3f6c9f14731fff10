"""Tables of Python as columns of the engine: what X, y and weights become.

A column is described by a tuple ``(name, data, kind, role, names, mask, indptr, indices)``; see
``src/columns.c``. Nothing is copied where memory is already laid out: NumPy arrays of any stride and
numeric type, pandas columns, SciPy's compressed sparse rows and Arrow's arrays are read where they
are.
"""

from __future__ import annotations

import sys

from . import _credence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Sequence

FEATURE, TARGET, WEIGHT = 0, 1, 2
KINDS = {"ignore": 0, "real": 1, "symbol": 2, "text": 3}
PRODUCT = "a product of other columns"  # why a column is there
WEIGHT_NAME = "(weight)"
TEXT_NAME = "text"
SENTENCE_BLANKS = 3  # a column whose values have as many blanks on average is a text


class Table:
    """Columns, how many rows they have, the names of the features in order, and whether these are
    the caller's, not x0, x1, …"""

    __slots__ = ("columns", "rows", "names", "named")

    def __init__(self, columns: list[tuple], rows: int, names: tuple[str, ...], named: bool):
        self.columns = columns
        self.rows = rows
        self.names = names
        self.named = named


def column(name, data, kind=0, role=FEATURE, names=None, mask=None, indptr=None, indices=None):
    return (name, data, kind, role, names, mask, indptr, indices)


def default_names(count: int) -> tuple[str, ...]:
    return tuple(f"x{i}" for i in range(count))


# --- NumPy --------------------------------------------------------------------------------------


def _native(array):
    """The same numbers in a type that the engine reads in place."""
    import numpy as np

    kind = array.dtype.kind
    if kind == "c":
        raise ValueError(f"Complex data not supported\n{array}\n")
    if kind == "f" and array.dtype.itemsize not in (4, 8):
        return array.astype(np.float64)
    if kind in "fiub" and not array.dtype.isnative:
        return array.astype(array.dtype.newbyteorder("="))
    return array


def _texts(values) -> list:
    """Texts of any values: None, NaN and pandas' NA are missing."""
    out = []
    for value in values:
        if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value:
            out.append(None)
        elif isinstance(value, (str, bytes)):
            out.append(value)
        elif isinstance(value, bool) or type(value).__name__ == "bool_":
            out.append("1" if value else "0")
        elif isinstance(value, (int, float)) or hasattr(value, "__float__"):
            out.append(number_text(value))
        else:
            raise TypeError(
                f"argument must be a string or a real number, not '{type(value).__name__}'"
            )
    return out


def number_text(value) -> str:
    """A number as the engine spells it: 1, 0.5."""
    number = float(value)
    return str(int(number)) if number == int(number) and abs(number) < 1e15 else repr(number)


def looks_like_sentences(texts: Sequence) -> bool:
    """Whether values are sentences: several blanks each, and mostly different."""
    known = [t for t in texts[:10000] if isinstance(t, str)]
    if len(known) < 2:
        return False
    blanks = sum(t.count(" ") for t in known)
    return blanks >= SENTENCE_BLANKS * len(known) and 2 * len(set(known)) >= len(known)


def _object_column(name, values, kind):
    """A column of Python objects: numbers when all of them are, otherwise texts."""
    import numpy as np

    if kind in (0, KINDS["real"]):
        try:
            if not any(isinstance(v, (str, bytes)) for v in values):
                return column(name, np.array([_number(v) for v in values], float), kind)
        except (TypeError, ValueError):
            if kind == KINDS["real"]:
                raise
    texts = _texts(values)
    if kind == 0:
        kind = KINDS["text"] if looks_like_sentences(texts) else KINDS["symbol"]
    return column(name, texts, kind)


def _number(value) -> float:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return float("nan")
    if isinstance(value, (dict, list, tuple, set)):
        raise TypeError(f"argument must be a string or a real number, not '{type(value).__name__}'")
    return float(value)


def _matrix(array, names, types):
    import numpy as np

    columns = []
    mask = np.ma.getmaskarray(array) if isinstance(array, np.ma.MaskedArray) else None
    array = np.ma.getdata(array) if mask is not None else array
    if array.dtype.kind in "OUSmM":
        for i, name in enumerate(names):
            values = array[:, i].tolist()
            if mask is not None:
                values = [None if m else v for v, m in zip(values, mask[:, i])]
            for value in values:
                if isinstance(value, (dict, list, set)):
                    raise TypeError(
                        "argument must be a string or a real number, "
                        f"not '{type(value).__name__}'"
                    )
            if array.dtype.kind == "O" and not types:
                values = _as_floats(values)
            columns.append(_object_column(name, values, KINDS[types.get(name, "ignore")]))
        return columns
    array = _native(array)
    if mask is None and not types:
        return [column(names, array)]
    for i, name in enumerate(names):
        kind = KINDS[types.get(name, "ignore")]
        if types.get(name) == "ignore":
            continue
        columns.append(
            column(name, array[:, i], kind, mask=None if mask is None else mask[:, i])
        )
    return columns


def _as_floats(values):
    """Texts that are all numbers are numbers, as they are to NumPy."""
    if any(isinstance(v, str) for v in values):
        try:
            return [None if v is None else float(v) for v in values]
        except ValueError:
            return values
    return values


# --- pandas -------------------------------------------------------------------------------------


def _frame_column(name, series, kind):
    import numpy as np

    dtype = series.dtype
    kind_name = getattr(dtype, "name", str(dtype))
    if kind_name == "category":
        codes = series.cat.codes.to_numpy()
        names = _texts(series.cat.categories.tolist())
        if kind == KINDS["text"]:
            return column(name, _texts(series.astype(object).tolist()), kind)
        return column(name, codes, kind or KINDS["symbol"], names=names)
    if hasattr(dtype, "numpy_dtype") and hasattr(series.array, "_mask"):  # Int64, boolean, Float64
        data, mask = series.array._data, series.array._mask
        return column(name, _native(data), kind, mask=mask)
    if isinstance(dtype, np.dtype) and dtype.kind in "fiubc":
        return column(name, _native(series.to_numpy()), kind)
    if isinstance(dtype, np.dtype) and dtype.kind in "mM":
        seconds = series.to_numpy().astype("int64").astype(float) / 1e9
        seconds[series.isna().to_numpy()] = np.nan
        return column(name, seconds, kind)
    return _object_column(name, series.astype(object).tolist(), kind)


def _frame(frame, types):
    names = list(frame.columns)
    kinds = sorted({type(n).__name__ for n in names})
    texts = tuple(str(n) for n in names)
    if "str" in kinds and len(kinds) > 1:
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your "
            f"input has {kinds} as feature name / column name types."
        )
    columns = []
    for i, name in enumerate(texts):
        kind = types.get(name)
        if kind != "ignore":
            columns.append(_frame_column(name, frame.iloc[:, i], KINDS[kind or "ignore"]))
    return Table(columns, len(frame), texts, kinds == ["str"])


# --- others -------------------------------------------------------------------------------------


def _sparse(matrix, names):
    matrix = matrix.tocsr()
    if matrix.indices.dtype != matrix.indptr.dtype:
        matrix.indptr = matrix.indptr.astype(matrix.indices.dtype)
    words = list(names) if names is not None else [str(i) for i in range(matrix.shape[1])]
    data = _native(matrix.data)
    return Table(
        [column(TEXT_NAME, data, KINDS["text"], names=words, indptr=matrix.indptr,
                indices=matrix.indices)],
        matrix.shape[0],
        tuple(words),
        False,
    )


def _arrow(X, types):
    """A table of any library that has Arrow's capsules."""
    stream = getattr(X, "__arrow_c_stream__", None)
    columns, names, rows = [], [], 0
    for name, data, _ in _credence.arrow(stream() if stream is not None else X.__arrow_c_array__()):
        kind = types.get(name)
        names.append(name)
        rows = data.rows
        if kind is None and looks_like_sentences(data.head(10000)):
            kind = "text"
        if kind != "ignore":
            columns.append(column(name, data, KINDS[kind or "ignore"]))
    return Table(columns, rows, tuple(names), True)


def _records(rows, types):
    names: dict[str, None] = {}
    for row in rows:
        names.update(dict.fromkeys(row))
    columns = []
    for name in names:
        kind = types.get(name)
        if kind != "ignore":
            values = [row.get(name) for row in rows]
            columns.append(_object_column(str(name), values, KINDS[kind or "ignore"]))
    return Table(columns, len(rows), tuple(str(n) for n in names), True)


def is_frame(X: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(X, pandas.DataFrame)


def describe(X: Any, types: dict[str, str] | None = None) -> Table:
    """The columns of X.

    X is a matrix (NumPy, anything with ``__array__``, a list of rows), a pandas frame, anything with
    Arrow's capsules, a list of dicts, a list of texts, or a SciPy sparse matrix of counts.
    """
    types = types or {}
    for kind in types.values():
        if kind not in KINDS:
            raise ValueError(f"there is no kind '{kind}'; the kinds are real, symbol, text, ignore")
    if is_frame(X):
        table = _frame(X, types)
    elif hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__"):
        table = _arrow(X, types)
    elif hasattr(X, "tocsr"):
        table = _sparse(X, None)
    elif isinstance(X, (list, tuple)) and len(X) > 0 and isinstance(X[0], dict):
        table = _records(X, types)
    elif _is_texts(X):
        table = Table(
            [column(TEXT_NAME, _texts(X), KINDS["text"])], len(X), (TEXT_NAME,), True
        )
    else:
        table = _array(X, types)
    if table.rows < 1:
        raise ValueError(
            f"Found array with 0 sample(s) (shape=(0, {len(table.names)})) while a minimum of 1 is "
            "required."
        )
    if table.names and not table.columns:
        raise ValueError("types leaves no column to learn from")
    if not table.names:
        raise ValueError(
            f"Found array with 0 feature(s) (shape=({table.rows}, 0)) while a minimum of 1 is "
            "required."
        )
    return table


def _is_texts(X) -> bool:
    if isinstance(X, (list, tuple)):
        return len(X) > 0 and isinstance(X[0], (str, bytes))
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(X, pandas.Series):
        return X.dtype == object or str(X.dtype) == "string"
    return hasattr(X, "dtype") and getattr(X, "ndim", 0) == 1 and X.dtype.kind in "OU"


def _array(X, types):
    import numpy as np

    array = X if isinstance(X, np.ndarray) else np.asarray(X)
    if array.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {array.ndim}D array instead:\narray={array}.\nReshape your data "
            "either using array.reshape(-1, 1) if your data has a single feature or "
            "array.reshape(1, -1) if it contains a single sample."
        )
    names = default_names(array.shape[1])
    if array.shape[1] == 0 or array.shape[0] == 0:
        return Table([], array.shape[0], names, False)
    return Table(_matrix(array, names, types), array.shape[0], names, False)
