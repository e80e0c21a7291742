/**
 * Whether a text matches a pattern in which an asterisk matches any characters. Each asterisk takes linear time. A
 * regular expression could take far longer, and the patterns come from requests.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return first === text
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last))
    return false
  let end = first.length
  for (const part of rest) {
    const start = text.indexOf(part, end)
    if (start < 0) return false
    end = start + part.length
  }
  return end <= text.length - last.length
}
