/*
 * Parses Git's configuration files, to open a repository. @see git-config(1), "Syntax"
 */

export interface ConfigEntry {
  /** Name of the section in lower case. */
  readonly section: string
  /** The text between the quotes after the name of the section; empty if there is none. */
  readonly subsection: string
  /** Name of the setting in lower case. */
  readonly name: string
  /** Value of the setting; `true` for a name without a value. */
  readonly value: string
}

/** The entries in order. Of several entries with the same name, the last one is valid. Skips malformed lines. */
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

/** Name of the configuration file in the Git directory. */
export const configFile = 'config'

/** Patterns for the elements of a file, which follow each other, as git parses them. @see git-config(1), "Syntax" */
const elements = {
  blank: /[ \t\r\n]|[#;][^\n]*/y,
  section: /\[(?:[A-Za-z0-9.-]+|[A-Za-z0-9.-]*[ \t\r]+"(?:[^"\\\n]|\\[^\n])*")\]/y,
  name: /[A-Za-z][A-Za-z0-9-]*[ \t]*(?=[=\n]|$)/y,
  value: /=(?:"(?:[^"\\\n]|\\(?:[tbn"\\\n]|$))*"|[^"\\\n#;]|\\(?:[tbn"\\\n]|$))*/y,
} as const

/** The first fault of a configuration file, at which every git command stops; undefined if there is none. */
export function configFault(text: string): string | undefined {
  const source = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n')
  let offset = 0
  const take = (element: RegExp) => {
    element.lastIndex = offset
    const taken = element.test(source)
    if (taken) offset = element.lastIndex
    return taken
  }
  while (offset < source.length) {
    if (take(elements.blank) || take(elements.section)) continue
    if (!take(elements.name)) return faultAt(source, offset)
    // A value ends at the end of the line or at a comment. If it ends elsewhere, a quote is not closed.
    if (take(elements.value) && offset < source.length && !/[\n#;]/.test(source.charAt(offset)))
      return faultAt(source, offset)
  }
  return undefined
}

function faultAt(source: string, offset: number): string {
  return `its line ${source.slice(0, offset).split('\n').length} is no setting`
}

/** Removes comments and surrounding spaces outside quotes. */
function parseValue(text: string): string {
  let value = ''
  let quoted = false
  let keep = 0
  for (let index = 0; index < text.length; index++) {
    const char = text.charAt(index)
    if (char === '"') quoted = !quoted
    else if (!quoted && (char === '#' || char === ';')) break
    else if (char === '\\') {
      const escaped = text.charAt(++index)
      value += { n: '\n', t: '\t', b: '\b' }[escaped] ?? escaped
    } else if (quoted || value !== '' || !/\s/.test(char)) value += char
    if (quoted || char === '"' || !/\s/.test(char)) keep = value.length
  }
  return value.slice(0, keep)
}

/** The last value of a setting in a section without a subsection; undefined if it is not set. */
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
