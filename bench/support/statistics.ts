export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/**
 * Returns the value below which a share of the values lies, with linear interpolation.
 * @throws RangeError if there are no values, because their median would look like a result
 */
export function quantile(values: readonly number[] | Float64Array, share: number): number {
  if (values.length === 0) throw new RangeError('There are no values for a quantile.')
  const sorted = Float64Array.from(values).sort()
  const place = (sorted.length - 1) * share
  const lower = sorted[Math.floor(place)] as number
  const upper = sorted[Math.ceil(place)] as number
  return lower + (upper - lower) * (place - Math.floor(place))
}

/** Returns the average rise from one value to the next, by least squares. */
export function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  let [products, squares] = [0, 0]
  for (const [index, value] of values.entries()) {
    products += (index - middle) * (value - mean)
    squares += (index - middle) ** 2
  }
  return squares === 0 ? 0 : products / squares
}

/** Runs `job` for every number below `count`, with `width` parallel runs. */
export async function together(
  count: number,
  width: number,
  job: (at: number) => Promise<unknown>,
): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: Math.min(width, count) }, async () => {
      while (next < count) await job(next++)
    }),
  )
}

/** @returns milliseconds that the job takes */
export async function timed(job: () => unknown): Promise<number> {
  const started = performance.now()
  await job()
  return performance.now() - started
}
