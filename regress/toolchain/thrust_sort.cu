// Thrust as Debian ships it, without options.
#include <thrust/device_vector.h>
#include <thrust/sort.h>

#include <algorithm>
#include <vector>

int main()
{
    std::vector<int> host(5000);
    unsigned state = 1;
    for (int &x : host)
        x = (int)(state = state * 1664525u + 1013904223u);
    thrust::device_vector<int> device(host.begin(), host.end());
    thrust::sort(device.begin(), device.end());
    std::sort(host.begin(), host.end());
    std::vector<int> sorted(host.size());
    thrust::copy(device.begin(), device.end(), sorted.begin());
    return sorted != host;
}
