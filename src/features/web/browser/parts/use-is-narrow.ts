import { useEffect, useMemo, useState } from 'preact/hooks'

/**
 * Whether the screen is narrow, also after it was turned.
 * @param width the largest width that is narrow, in rem; by default that on which two texts do not fit beside each other
 */
export function useIsNarrow(width = 48): boolean {
  const narrow = useMemo(() => matchMedia(`(max-width: ${width}rem)`), [width])
  const [isNarrow, setIsNarrow] = useState(narrow.matches)
  useEffect(() => {
    const onChange = () => setIsNarrow(narrow.matches)
    // The screen may have changed between the first drawing and this effect.
    onChange()
    narrow.addEventListener('change', onChange)
    return () => narrow.removeEventListener('change', onChange)
  }, [narrow])
  return isNarrow
}
