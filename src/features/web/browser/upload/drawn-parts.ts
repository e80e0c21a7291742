import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

/** Pixels above and below the screen at which rows are drawn. */
const margin = 800
/** Pixels of a row before any was drawn. */
const usualHeight = 56

/** Which parts of a long table are drawn, and how high the others are. */
export interface DrawnParts {
  isDrawn(part: number): boolean
  /** Pixels of a part that is not drawn. */
  heightOf(part: number): number
}

/**
 * Draws the parts of a long table that are near the screen, those around the focus, and those that are needed. Each part is a
 * `tbody` with `data-part`, which stays in its place.
 * @param sizes number of the rows of each part
 * @param needed parts that are drawn wherever they are
 */
export function useDrawnParts(sizes: readonly number[], needed: readonly number[]) {
  const table = useRef<HTMLTableElement>(null)
  const [near, setNear] = useState<ReadonlySet<number>>(new Set([0]))
  const [focused, setFocused] = useState<number>()
  const heights = useRef(new Map<number, number>())
  const rowHeight = useRef(usualHeight)
  // With the parts beside it, Tab always finds the next row.
  const around = focused === undefined ? [] : [focused - 1, focused, focused + 1]
  const drawn = new Set([...near, ...needed, ...around])

  useLayoutEffect(() => {
    for (const body of table.current?.tBodies ?? []) {
      const part = partOf(body)
      const { height } = body.getBoundingClientRect()
      if (part === undefined || !drawn.has(part) || height === 0) continue
      heights.current.set(part, height)
      rowHeight.current = height / (sizes[part] ?? 1)
    }
  })

  // A filter changes what a part has.
  const shape = sizes.join()
  useEffect(() => {
    heights.current.clear()
    const observer = new IntersectionObserver(
      entries =>
        setNear(before => {
          const after = new Set(before)
          for (const { target, isIntersecting } of entries) {
            const part = partOf(target)
            if (part === undefined) continue
            if (isIntersecting) after.add(part)
            else after.delete(part)
          }
          return after
        }),
      { rootMargin: `${margin}px 0px` },
    )
    for (const body of table.current?.tBodies ?? []) observer.observe(body)
    return () => observer.disconnect()
  }, [shape])

  const parts: DrawnParts = {
    isDrawn: part => drawn.has(part),
    heightOf: part => heights.current.get(part) ?? rowHeight.current * (sizes[part] ?? 0),
  }
  return {
    table,
    parts,
    /** For the event `focusin` of the table: the row that has the focus stays. */
    onFocusIn({ target }: FocusEvent) {
      const body = target instanceof Element ? target.closest('tbody') : undefined
      if (body) setFocused(partOf(body))
    },
  }
}

function partOf(body: Element): number | undefined {
  const part = body instanceof HTMLElement ? body.dataset.part : undefined
  return part === undefined ? undefined : Number(part)
}
