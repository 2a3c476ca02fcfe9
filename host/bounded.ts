// Sets and maps that forget their oldest entries: a service runs for weeks.

export function addBounded<T>(set: Set<T>, value: T, max: number): void {
  set.delete(value); // to the end of the order
  set.add(value);
  for (const oldest of set) {
    if (set.size <= max) break;
    set.delete(oldest);
  }
}

/** Gives back what was forgotten. */
export function setBounded<K, V>(map: Map<K, V>, key: K, value: V, max: number): V[] {
  map.delete(key);
  map.set(key, value);
  const forgotten: V[] = [];
  for (const [oldest, item] of map) {
    if (map.size <= max) break;
    map.delete(oldest);
    forgotten.push(item);
  }
  return forgotten;
}
