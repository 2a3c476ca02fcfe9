// Timers that keep no process alive. What a host waits for needs one that does: the worker holds none either.

export function later(ms: number, fire: () => void): NodeJS.Timeout {
  const timer = setTimeout(fire, ms);
  timer.unref();
  return timer;
}
