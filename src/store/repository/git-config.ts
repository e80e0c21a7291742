/*
 * Parser of Git's configuration files, for opening a repository. Pure. @see git-config(1), "Syntax"
 */

export interface ConfigEntry {
  /** Lower case. */
  readonly section: string
  /** The text between the quotes; empty: none. */
  readonly subsection: string
  /** Lower case. */
  readonly name: string
  /** `true` for a name without a value. */
  readonly value: string
}

/** Entries in order; the last one of a name counts. Skips malformed lines. */
export function parseConfig(text: string): readonly ConfigEntry[] {
  const entries: ConfigEntry[] = []
  let section = ''
  let subsection = ''
  // A backslash at the end of a line continues it.
  for (const line of text.replace(/\\\r?\n/g, '').split(/\r?\n/)) {
    const head = /^\s*\[\s*([\w.-]+)\s*(?:"((?:[^"\\]|\\.)*)"\s*)?\]/.exec(line)
    if (head) {
      section = (head[1] ?? '').toLowerCase()
      subsection = (head[2] ?? '').replace(/\\(.)/g, '$1')
    }
    const entry = /^\s*([A-Za-z][\w-]*)\s*(?:=(.*))?$/.exec(head ? line.slice(head[0].length) : line)
    if (!entry?.[1] || section === '') continue
    const value = entry[2] === undefined ? 'true' : parseValue(entry[2])
    entries.push({ section, subsection, name: entry[1].toLowerCase(), value })
  }
  return entries
}

/** Removes comments and surrounding spaces outside quotes. */
function parseValue(text: string): string {
  let value = ''
  let quoted = false
  let keep = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === '"') quoted = !quoted
    else if (!quoted && (char === '#' || char === ';')) break
    else if (char === '\\') {
      const escaped = text.charAt(++at)
      value += { n: '\n', t: '\t', b: '\b' }[escaped] ?? escaped
    } else if (quoted || value !== '' || !/\s/.test(char)) value += char
    if (quoted || char === '"' || !/\s/.test(char)) keep = value.length
  }
  return value.slice(0, keep)
}

/** The last value of a setting in a section without a subsection. */
export function settingOf(
  entries: readonly ConfigEntry[],
  section: string,
  name: string,
): string | undefined {
  return entries.findLast(
    entry => entry.section === section && entry.subsection === '' && entry.name === name,
  )?.value
}

/** Whether a value of the configuration is true for git. @see git-config(1), "Values": boolean */
export function isTrue(value: string | undefined): boolean {
  return value !== undefined && /^(true|yes|on|[1-9]\d*)$/i.test(value)
}
