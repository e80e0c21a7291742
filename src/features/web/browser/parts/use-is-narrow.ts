import { useEffect, useState } from 'preact/hooks'

/** Screens on which two texts do not fit beside each other. */
const narrow = matchMedia('(max-width: 48rem)')

/** Whether the screen is narrow, also after it was turned. */
export function useIsNarrow(): boolean {
  const [isNarrow, setIsNarrow] = useState(narrow.matches)
  useEffect(() => {
    const onChange = () => setIsNarrow(narrow.matches)
    // The screen may have changed between the first drawing and this effect.
    onChange()
    narrow.addEventListener('change', onChange)
    return () => narrow.removeEventListener('change', onChange)
  }, [])
  return isNarrow
}
