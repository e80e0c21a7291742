/** How many of the first ones are so, where none is after the first that is not. */
export function prefixLength<T>(all: readonly T[], isSo: (one: T, number: number) => boolean): number {
  let [low, high] = [0, all.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isSo(all[middle] as T, middle)) low = middle + 1
    else high = middle
  }
  return low
}
