import { words } from '../words.js'

const units: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]
const relative = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: 'auto' })

/**
 * A time as people say it, with the exact one beside it.
 * @param props.instant ISO 8601
 * @param props.isShort for tables and lists: the exact time is in the title
 */
export function Time({ instant, isShort = false }: { readonly instant: string; readonly isShort?: boolean }) {
  const date = new Date(instant)
  const ago = agoText((date.getTime() - Date.now()) / 1000)
  if (isShort) {
    return (
      <time dateTime={instant} title={words.time.exact(date)}>
        {ago}
      </time>
    )
  }
  return (
    <time dateTime={instant}>
      {ago} <span class="dim">({words.time.exact(date)})</span>
    </time>
  )
}

/** @param seconds negative for the past */
function agoText(seconds: number): string {
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) return relative.format(Math.round(seconds / length), unit)
  }
  return relative.format(Math.round(seconds), 'second')
}
