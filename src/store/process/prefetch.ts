/**
 * Starts jobs ahead of the one whose outcome is asked for; order stays. They are started many at a time, whenever half
 * of them are done: what they ask of git then goes to it together.
 * @param size jobs under way at most
 * @throws whatever a job throws, when its turn comes
 */
export async function* prefetch<T, U>(
  source: Iterable<T> | AsyncIterable<T>,
  size: number,
  start: (item: T) => Promise<U>,
): AsyncGenerator<readonly [item: T, outcome: U]> {
  const waiting: (readonly [T, Promise<U>])[] = []
  for await (const item of source) {
    const job = start(item)
    // Its failure is met when its turn comes; should another one end the loop first, it is nobody's.
    job.catch(() => undefined)
    waiting.push([item, job])
    if (waiting.length < size) continue
    for (const [first, outcome] of waiting.splice(0, Math.ceil(size / 2))) yield [first, await outcome]
  }
  for (const [item, job] of waiting) yield [item, await job]
}
