"""Compares raw frames of planar YUV 4:2:0. Usage:

compare_frames.py same A B              the files are equal
compare_frames.py psnr A B DECIBELS     peak signal-to-noise ratio over all samples is at least so high
compare_frames.py one A B WxH           A is one frame of B
compare_frames.py key A B WxH           A, with alpha, has B's luma averaged over 2 x 2 samples (chromakey_cuda reads
                                        between the samples, with a linear filter), and its alpha is B's in 90 % of
                                        the samples, B being the CPU's frames with alpha
Ends with status 0 when that holds.
"""
import math
import sys


def read(name):
    with open(name, "rb") as file:
        return file.read()


def psnr(a, b):
    error = sum((x - y) ** 2 for x, y in zip(a, b)) / len(a)
    return math.inf if error == 0 else 10 * math.log10(255 ** 2 / error)


def average(plane, width, x, y):
    left, above = max(x - 1, 0), max(y - 1, 0)
    return (plane[above * width + left] + plane[above * width + x] + plane[y * width + left] + plane[y * width + x]) / 4


def keyed(a, b, width, height):
    luma, frame = width * height, width * height * 5 // 2
    same = count = 0
    for start in range(0, len(a), frame):
        ours, theirs = a[start:start + frame], b[start:start + frame]
        for y in range(height):
            for x in range(width):
                if abs(ours[y * width + x] - average(theirs, width, x, y)) > 1:
                    return False
        alpha = slice(luma * 3 // 2, frame)
        same += sum(abs(p - q) < 64 for p, q in zip(ours[alpha], theirs[alpha]))
        count += luma
    return same >= 0.9 * count


def main(how, name_a, name_b, value=None):
    a, b = read(name_a), read(name_b)
    if not a or not b:
        return False
    if how == "same":
        return a == b
    if how == "psnr":
        return len(a) == len(b) and psnr(a, b) >= float(value)
    width, height = map(int, value.split("x"))
    if how == "key":
        return len(a) == len(b) and keyed(a, b, width, height)
    frame = width * height * 3 // 2
    return len(a) == frame and any(b[at:at + frame] == a for at in range(0, len(b), frame))


sys.exit(not main(*sys.argv[1:]))
