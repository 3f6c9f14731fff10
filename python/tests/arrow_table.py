"""A table that gives itself away as Arrow capsules: a small producer, so that no library is needed."""

import ctypes

import numpy as np


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


RELEASE_SCHEMA = ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))
RELEASE_ARRAY = ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))
RELEASE_STREAM = ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))
GET_SCHEMA = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))
GET_NEXT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))
GET_ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(Stream))
Schema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p),
                   ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
                   ("n_children", ctypes.c_int64),
                   ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
                   ("dictionary", ctypes.POINTER(Schema)), ("release", RELEASE_SCHEMA),
                   ("private_data", ctypes.c_void_p)]
Array._fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64),
                  ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
                  ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
                  ("children", ctypes.POINTER(ctypes.POINTER(Array))),
                  ("dictionary", ctypes.POINTER(Array)), ("release", RELEASE_ARRAY),
                  ("private_data", ctypes.c_void_p)]
Stream._fields_ = [("get_schema", GET_SCHEMA), ("get_next", GET_NEXT),
                   ("get_last_error", GET_ERROR), ("release", RELEASE_STREAM),
                   ("private_data", ctypes.c_void_p)]

new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def bits(flags):
    return np.packbits(np.asarray(flags, bool), bitorder="little")


def offsets(texts, dtype):
    sizes = [0] + [len((t or "").encode()) for t in texts]
    return np.cumsum(sizes).astype(dtype), np.frombuffer(
        "".join(t or "" for t in texts).encode() or b"\0", np.uint8)


def view(texts):
    """Texts as 16-byte views: short ones inside, long ones in a buffer of their own."""
    out, long = bytearray(), bytearray()
    for t in texts:
        raw = (t or "").encode()
        if len(raw) <= 12:
            out += len(raw).to_bytes(4, "little") + raw.ljust(12, b"\0")
        else:
            out += len(raw).to_bytes(4, "little") + raw[:4] + bytes(4)
            out += len(long).to_bytes(4, "little")
            long += raw
    return [np.frombuffer(bytes(out), np.uint8), np.frombuffer(bytes(long) or b"\0", np.uint8),
            np.array([len(long)], np.int64)]


class Column:
    """(format, values, names of a dictionary); None in values is missing."""

    def __init__(self, name, format, values, names=None):
        self.name, self.format, self.names = name, format, names
        self.values = list(values)

    def buffers(self):
        missing = [v is None for v in self.values]
        valid = bits(~np.array(missing, bool)) if any(missing) else None
        if self.format in "uU":
            return [valid, *offsets(self.values, np.int32 if self.format == "u" else np.int64)]
        if self.format == "vu":
            return [valid, *view(self.values)]
        if self.format == "b":
            return [valid, bits([bool(v) for v in self.values])]
        kind = {"g": "f8", "f": "f4", "l": "i8", "i": "i4", "c": "i1", "C": "u1",
                "tdD": "i4"}[self.format]
        return [valid, np.array([0 if v is None else v for v in self.values], kind)]


class Table:
    """Columns in batches of some rows each; counts how many arrays have not been released."""

    def __init__(self, columns, batch=None, offset=0):
        self.columns, self.batch, self.offset = columns, batch, offset
        self.rows = len(columns[0].values)
        self.alive = 0
        self._kept = []

    def _schema(self, out, format, name, children=(), dictionary=None):
        @RELEASE_SCHEMA
        def release(schema):
            schema.contents.release = RELEASE_SCHEMA(0)

        pointers = (ctypes.POINTER(Schema) * max(len(children), 1))(*map(ctypes.pointer, children))
        texts = format.encode(), name.encode()
        out.format, out.name = texts
        out.n_children = len(children)
        out.children = pointers
        if dictionary is not None:
            out.dictionary = ctypes.pointer(dictionary)
        out.release = release
        self._kept += [release, texts, pointers, children, dictionary]
        return out

    def _array(self, out, length, buffers, children=(), dictionary=None, offset=0, nulls=0):
        @RELEASE_ARRAY
        def release(array):
            self.alive -= 1
            array.contents.release = RELEASE_ARRAY(0)

        addresses = (ctypes.c_void_p * max(len(buffers), 1))(
            *[None if b is None else b.ctypes.data for b in buffers])
        pointers = (ctypes.POINTER(Array) * max(len(children), 1))(*map(ctypes.pointer, children))
        out.length, out.offset, out.null_count = length, offset, nulls
        out.n_buffers, out.n_children = len(buffers), len(children)
        out.buffers, out.children, out.release = addresses, pointers, release
        if dictionary is not None:
            out.dictionary = ctypes.pointer(dictionary)
        self._kept += [release, addresses, pointers, buffers, children, dictionary]
        return out

    def schema(self, out):
        parts = [self._schema(Schema(), c.format, c.name, dictionary=None if c.names is None else
                              self._schema(Schema(), "u", "")) for c in self.columns]
        return self._schema(out, "+s", "", parts)

    def record(self, out, begin, end):
        parts = []
        for c in self.columns:
            piece = Column(c.name, c.format, [None] * self.offset + c.values[begin:end], c.names)
            names = None if c.names is None else self._array(
                Array(), len(c.names), Column("", "u", c.names).buffers())
            parts.append(self._array(Array(), end - begin, piece.buffers(), dictionary=names,
                                     offset=self.offset, nulls=-1))
        self.alive += 1
        return self._array(out, end - begin, [None], parts)

    def __arrow_c_array__(self, requested_schema=None):
        schema, array = self.schema(Schema()), self.record(Array(), 0, self.rows)
        self._kept += [schema, array]
        return (new_capsule(ctypes.addressof(schema), b"arrow_schema", None),
                new_capsule(ctypes.addressof(array), b"arrow_array", None))


class Streamed(Table):
    """The same as a stream of batches; one that fails where `fails` says so."""

    fails = False

    def __arrow_c_stream__(self, requested_schema=None):
        at = [0]
        why = ctypes.create_string_buffer(b"the wire was cut")
        step = self.batch or self.rows

        @GET_SCHEMA
        def get_schema(_, out):
            self.schema(out.contents)
            return 0

        @GET_NEXT
        def get_next(_, out):
            if self.fails and at[0] > 0:
                return 5
            if at[0] < self.rows:
                self.record(out.contents, at[0], min(at[0] + step, self.rows))
                at[0] += step
            else:
                out.contents.release = RELEASE_ARRAY(0)
            return 0

        @GET_ERROR
        def get_error(_):
            return ctypes.addressof(why)

        @RELEASE_STREAM
        def release(stream):
            stream.contents.release = RELEASE_STREAM(0)

        stream = Stream(get_schema, get_next, get_error, release, None)
        self._kept += [stream, why, get_schema, get_next, get_error, release]
        return new_capsule(ctypes.addressof(stream), b"arrow_array_stream", None)
