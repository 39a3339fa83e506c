"""A program that knows only the driver API: compiles CUDA C++ by NVRTC and launches it through ctypes.

Usage: nvrtc_client.py LIBCUDA LIBNVRTC. Ends with status 0 when every result is that of the same arithmetic in Python.
"""
import ctypes
import os
import signal
import struct
import sys

SOURCE = r"""
#include "vec.h"
template <class T, int UNROLL> __global__ void axpy(T a, const T *x, T *y, int n)
{
    for (int i = UNROLL * (blockIdx.x * blockDim.x + threadIdx.x), k = 0; k < UNROLL && i + k < n; k++)
        y[i + k] = axpy_of(a, x[i + k], y[i + k]);
}
namespace limits { __constant__ int top = 100; }
extern "C" __global__ void clamp(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = p[i] > limits::top ? limits::top : p[i] * SCALE;
}
"""
HEADER = "template <class T> __device__ T axpy_of(T a, T x, T y) { return a * x + y; }\n"

cuda = ctypes.CDLL(sys.argv[1])
nvrtc = ctypes.CDLL(sys.argv[2])
failures = 0


def check(what, ok):
    global failures
    if not ok:
        failures += 1
        print("nvrtc client: FAIL", what)


def cu(name, *arguments):
    result = getattr(cuda, name)(*arguments)
    if result:
        text = ctypes.c_char_p()
        cuda.cuGetErrorString(result, ctypes.byref(text))
        sys.exit("nvrtc client: %s: %s" % (name, text.value.decode() if text.value else result))


def rtc(name, *arguments):
    result = getattr(nvrtc, name)(*arguments)
    if result:
        nvrtc.nvrtcGetErrorString.restype = ctypes.c_char_p
        sys.exit("nvrtc client: %s: %s" % (name, nvrtc.nvrtcGetErrorString(result).decode()))


def strings(list_of_bytes):
    return (ctypes.c_char_p * len(list_of_bytes))(*list_of_bytes)


def create(source, headers=(), names=(), name=b"client.cu"):
    program = ctypes.c_void_p()
    rtc("nvrtcCreateProgram", ctypes.byref(program), source.encode(), name, len(headers), strings(headers),
        strings(names))
    return program


def text_of(program, size_name, name):
    size = ctypes.c_size_t()
    rtc(size_name, program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    rtc(name, program, text)
    return text.value


def compile_program():
    program = create(SOURCE, [HEADER.encode()], [b"vec.h"])
    names = [b"axpy<float, 4>", b"&limits::top"]
    for name in names:
        rtc("nvrtcAddNameExpression", program, name)
    options = [b"--gpu-architecture=compute_60", b"-D", b"SCALE=3", b"--std=c++17", b"-default-device"]
    if nvrtc.nvrtcCompileProgram(program, len(options), strings(options)):
        sys.exit("nvrtc client: " + text_of(program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog").decode())
    lowered = []
    for name in names:
        symbol = ctypes.c_char_p()
        rtc("nvrtcGetLoweredName", program, name, ctypes.byref(symbol))
        lowered.append(symbol.value)
    return text_of(program, "nvrtcGetPTXSize", "nvrtcGetPTX"), lowered


def program_with_error(name):
    return create("__global__ void f() { undefined_name(); }\n", name=name)


def errors():
    program = program_with_error(b"client.cu")
    check("a program that does not compile", nvrtc.nvrtcCompileProgram(program, 0, None) == 6)
    log = text_of(program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog")
    check("the log names file, line and identifier", b"client.cu:1" in log and b"undefined_name" in log)
    check("an unknown option", nvrtc.nvrtcCompileProgram(program, 1, strings([b"--no-such-option"])) == 5)
    check("the log names the option",
          b"--no-such-option" in text_of(program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog"))
    rtc("nvrtcDestroyProgram", ctypes.byref(program))
    logs = "nvrtcGetProgramLogSize", "nvrtcGetProgramLog"
    outside = create("__global__ void f() {}\n", [b""], [b"a/../../b.h"])
    check("a header outside the folder", nvrtc.nvrtcCompileProgram(outside, 0, None) == 6)
    check("the log names the header", b"'a/../../b.h' leads out" in text_of(outside, *logs))
    dots = create('#include "a..b.h"\n', [b"// nothing\n"], [b"a..b.h"])
    os.environ["TMPDIR"] = "/no/such/folder"
    check("a folder that cannot be written", nvrtc.nvrtcCompileProgram(dots, 0, None) == 6)
    check("the log names the folder", b"cannot write /no/such/folder" in text_of(dots, *logs))
    del os.environ["TMPDIR"]
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    check("dots in a header's name; SIGCHLD ignored", nvrtc.nvrtcCompileProgram(dots, 0, None) == 0)
    check("SIGCHLD ignored, an error", nvrtc.nvrtcCompileProgram(program_with_error(b"x"), 0, None) == 6)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    odd = program_with_error(b'a "b"\\c.cu')
    check("an odd name", nvrtc.nvrtcCompileProgram(odd, 0, None) == 6 and b'c.cu:1' in text_of(odd, *logs))
    check("a program that was destroyed", nvrtc.nvrtcCompileProgram(program, 0, None) == 4)


def allocate(data):
    pointer = ctypes.c_uint64()
    cu("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(len(data)))
    cu("cuMemcpyHtoD_v2", pointer, data, ctypes.c_size_t(len(data)))
    return pointer


def read(pointer, size):
    data = ctypes.create_string_buffer(size)
    cu("cuMemcpyDtoH_v2", data, pointer, ctypes.c_size_t(size))
    return data.raw


def launch(function, grid, block, *arguments):
    pointers = (ctypes.c_void_p * len(arguments))(*[ctypes.addressof(a) for a in arguments])
    cu("cuLaunchKernel", function, grid, 1, 1, block, 1, 1, 0, None, pointers, None)


def function_of(module, name):
    function = ctypes.c_void_p()
    cu("cuModuleGetFunction", ctypes.byref(function), module, name)
    return function


def run(ptx, lowered):
    context, module, device = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
    n = 1000
    cu("cuInit", 0)
    cu("cuDeviceGet", ctypes.byref(device), 0)
    cu("cuCtxCreate_v2", ctypes.byref(context), 0, device)
    cu("cuModuleLoadData", ctypes.byref(module), ptx)

    x, y = [i * 0.5 for i in range(n)], [float(n - i) for i in range(n)]
    px, py = allocate(struct.pack("%df" % n, *x)), allocate(struct.pack("%df" % n, *y))
    launch(function_of(module, lowered[0]), 8, 32, ctypes.c_float(4), px, py, ctypes.c_int(n))
    expected = [4 * a + b for a, b in zip(x, y)]
    check("axpy", list(struct.unpack("%df" % n, read(py, 4 * n))) == expected)

    top, size = ctypes.c_uint64(), ctypes.c_size_t()
    cu("cuModuleGetGlobal_v2", ctypes.byref(top), ctypes.byref(size), module, lowered[1])
    check("the initial value of the variable", struct.unpack("i", read(top, 4)) == (100,))
    cu("cuMemcpyHtoD_v2", top, struct.pack("i", 50), ctypes.c_size_t(4))
    values = [i * 7 % 90 for i in range(n)]
    p = allocate(struct.pack("%di" % n, *values))
    launch(function_of(module, b"clamp"), 32, 32, p, ctypes.c_int(n))
    expected = [50 if v > 50 else v * 3 for v in values]
    check("clamp", list(struct.unpack("%di" % n, read(p, 4 * n))) == expected)
    cu("cuCtxDestroy_v2", context)


errors()
run(*compile_program())
print("nvrtc client: %s" % ("ok" if not failures else "%d failures" % failures))
sys.exit(failures != 0)
