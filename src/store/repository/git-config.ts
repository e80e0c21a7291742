/*
 * Git's configuration files, as far as opening a repository needs them. Pure. @see git-config(1), "Syntax"
 */

export interface ConfigEntry {
  /** Lower case. */
  readonly section: string
  /** As written, between the quotes; empty where there is none. */
  readonly subsection: string
  /** Lower case. */
  readonly name: string
  /** `true` for a name without a value. */
  readonly value: string
}

/** Entries in order; of two with the same name the later counts. Lines that are not understood are left out. */
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

/** Comments and surrounding spaces go, unless they are in quotes. */
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

/** The value that counts. */
export function settingOf(
  entries: readonly ConfigEntry[],
  section: string,
  name: string,
): string | undefined {
  return entries.findLast(
    entry => entry.section === section && entry.subsection === '' && entry.name === name,
  )?.value
}

/** @see git-config(1), "Values": boolean */
export function isTrue(value: string | undefined): boolean {
  return value !== undefined && /^(true|yes|on|[1-9]\d*)$/i.test(value)
}
