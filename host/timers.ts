// Timers that keep no process alive.

export function later(ms: number, fire: () => void): NodeJS.Timeout {
  const timer = setTimeout(fire, ms);
  timer.unref();
  return timer;
}
