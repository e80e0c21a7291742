export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] as number
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2
}

/** Times `count` operations with `width` of them under way at any time. @returns operations per second */
export async function rate(
  count: number,
  width: number,
  operation: (at: number) => Promise<unknown>,
): Promise<number> {
  let next = 0
  const started = performance.now()
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (next < count) await operation(next++)
    }),
  )
  return (count / (performance.now() - started)) * 1000
}
