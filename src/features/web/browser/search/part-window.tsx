import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

/** What is known of the parts of a long list that are shown. */
export interface WindowParts {
  /** Number of the first part that is kept, from 0. */
  readonly first: number
  readonly hasNext: boolean
  readonly isReading: boolean
  readNext(): void
  readPrevious(): void
}

/** Pixels before the end of what is shown at which the next part is read. */
const margin = 1200

/**
 * Keeps a part of a long list while a person scrolls: reads the next part near the end of what is shown, and the part
 * before near its beginning. The place of parts that are not kept stays as high as they were, so that nothing moves.
 * @returns `host` for the element around the parts, whose children with `data-part` are the parts; the height of the
 *   parts before the first one, in pixels
 */
export function usePartWindow(parts: WindowParts) {
  const host = useRef<HTMLDivElement>(null)
  const heights = useRef(new Map<number, number>())
  const latest = useRef(parts)
  latest.current = parts

  useLayoutEffect(() => {
    for (const element of elementsOf(host.current))
      heights.current.set(Number(element.dataset.part), element.getBoundingClientRect().height)
  })

  useEffect(() => {
    let frame = 0
    function look() {
      frame = 0
      const { first, hasNext, isReading, readNext, readPrevious } = latest.current
      const elements = elementsOf(host.current)
      const [start, end] = [elements[0], elements.at(-1)]
      if (isReading || !start || !end) return
      if (first > 0 && start.getBoundingClientRect().top > -margin) readPrevious()
      else if (hasNext && end.getBoundingClientRect().bottom < innerHeight + margin) readNext()
    }
    const lookSoon = () => {
      if (frame === 0) frame = requestAnimationFrame(look)
    }
    addEventListener('scroll', lookSoon, { passive: true })
    // After a part has come, its end may still be in view.
    lookSoon()
    return () => {
      removeEventListener('scroll', lookSoon)
      cancelAnimationFrame(frame)
    }
  })

  let above = 0
  for (let index = 0; index < parts.first; index++) above += heights.current.get(index) ?? 0
  return { host, above }
}

function elementsOf(host: HTMLElement | null): readonly HTMLElement[] {
  return [...(host?.querySelectorAll<HTMLElement>('[data-part]') ?? [])]
}
