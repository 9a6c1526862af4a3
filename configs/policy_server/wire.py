"""Arrays in msgpack, as openpi's msgpack_numpy writes them."""

import msgpack
import numpy as np


def pack(message):
    def encode(value):
        if isinstance(value, np.ndarray):
            return {b"__ndarray__": True, b"data": value.tobytes(), b"dtype": value.dtype.str, b"shape": value.shape}
        if isinstance(value, np.generic):
            return {b"__npgeneric__": True, b"data": value.item(), b"dtype": value.dtype.str}
        raise TypeError(f"{type(value)} cannot be sent")

    return msgpack.packb(message, default=encode)


def unpack(data):
    def decode(fields):
        get = lambda key: fields.get(key, fields.get(key.decode()))
        if get(b"__ndarray__"):
            return np.frombuffer(get(b"data"), np.dtype(get(b"dtype"))).reshape(get(b"shape"))
        if get(b"__npgeneric__"):
            return np.dtype(get(b"dtype")).type(get(b"data"))
        return fields

    return msgpack.unpackb(data, object_hook=decode, strict_map_key=False)
