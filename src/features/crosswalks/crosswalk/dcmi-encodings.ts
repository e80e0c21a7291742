/*
 * Boxes, points and periods of DCMI: texts with components, such as `name=Site; northlimit=71.0; westlimit=-32.0`.
 * @see https://www.dublincore.org/specifications/dublin-core/dcmi-box/
 */

const maxLength = 2000

/** The components by their names in lower case; undefined for another text. */
export function dcmiComponents(text: string): ReadonlyMap<string, string> | undefined {
  if (!text.includes('=') || text.length > maxLength) return undefined
  const parts = text.split(';').flatMap(part => part.trim() || [])
  const components = parts.map(part => {
    const at = part.indexOf('=')
    return [part.slice(0, at).trim().toLowerCase(), part.slice(at + 1).trim()] as const
  })
  return components.every(([name]) => /^[a-z]{2,12}$/.test(name)) ? new Map(components) : undefined
}

/** The dates of a period with a slash between them; undefined for another text. */
export function dcmiPeriod(text: string): string | undefined {
  const components = dcmiComponents(text)
  const [start = '', end = ''] = [components?.get('start'), components?.get('end')]
  return start === '' && end === '' ? undefined : `${start}/${end}`
}
