/* Wall-clock stopwatches of sample programs; times are in milliseconds. */
#ifndef COMMON_HELPER_TIMER_H_
#define COMMON_HELPER_TIMER_H_

#include <time.h>

class StopWatchInterface
{
  public:
    void start()
    {
        clock_gettime(CLOCK_MONOTONIC, &begin_);
        running_ = true;
    }
    void stop()
    {
        if (!running_)
            return;
        last_ = since_start();
        total_ += last_;
        sessions_++;
        running_ = false;
    }
    void reset()
    {
        total_ = last_ = 0;
        sessions_ = 0;
        if (running_)
            start();
    }
    float getTime() { return running_ ? total_ + since_start() : total_; }
    float getAverageTime() { return sessions_ ? total_ / (float)sessions_ : 0.0f; }

  private:
    float since_start() const
    {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (float)((double)(now.tv_sec - begin_.tv_sec) * 1e3 +
                       (double)(now.tv_nsec - begin_.tv_nsec) * 1e-6);
    }
    struct timespec begin_ = {};
    float total_ = 0, last_ = 0;
    int sessions_ = 0;
    bool running_ = false;
};

static inline bool sdkCreateTimer(StopWatchInterface **t) { return (*t = new StopWatchInterface) != nullptr; }
static inline bool sdkDeleteTimer(StopWatchInterface **t)
{
    delete *t;
    *t = nullptr;
    return true;
}
static inline bool sdkStartTimer(StopWatchInterface **t) { return *t ? (*t)->start(), true : false; }
static inline bool sdkStopTimer(StopWatchInterface **t) { return *t ? (*t)->stop(), true : false; }
static inline bool sdkResetTimer(StopWatchInterface **t) { return *t ? (*t)->reset(), true : false; }
static inline float sdkGetTimerValue(StopWatchInterface **t) { return *t ? (*t)->getTime() : 0.0f; }
static inline float sdkGetAverageTimerValue(StopWatchInterface **t)
{
    return *t ? (*t)->getAverageTime() : 0.0f;
}

#endif
