// The heights of a string at three times, in device memory; after each step the oldest become the newest.
void wave_steps(int *heights[3], int n, int steps);
