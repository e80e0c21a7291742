/** Binary search: length of the prefix whose items satisfy the predicate. No later item may satisfy it. */
export function prefixLength<T>(all: readonly T[], isInPrefix: (item: T, index: number) => boolean): number {
  let [low, high] = [0, all.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isInPrefix(all[middle] as T, middle)) low = middle + 1
    else high = middle
  }
  return low
}
