import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { collectionNames } from '../../core/records/collection.js'
import { replaceFileAtomically } from '../file-system/durable-files.js'
import { undefinedIfMissing } from '../file-system/file-errors.js'
import { metastoreFileName } from '../records/repository-layout.js'

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

/** A parsed configuration file. */
interface GitConfig {
  /** The entries in order. Of several entries with the same name, the last one is valid. */
  readonly entries: readonly ConfigEntry[]
  /** The first fault, at which every git command stops, such as `its line 3 is no setting`. */
  readonly fault?: string
}

/** Name of the configuration file in the Git directory. */
export const configFile = 'config'

/** Patterns for the elements of a file, which follow each other, as git parses them. @see git-config(1), "Syntax" */
const elements = {
  blank: /[ \t\r\n]|[#;][^\n]*/y,
  section: /\[(?:([A-Za-z0-9.-]+)|([A-Za-z0-9.-]*)[ \t\r]+"((?:[^"\\\n]|\\[^\n])*)")\]/y,
  name: /([A-Za-z][A-Za-z0-9-]*)[ \t]*(?=[=\n]|$)/y,
  value: /=((?:"(?:[^"\\\n]|\\(?:[tbn"\\\n]|$))*"|[^"\\\n#;]|\\(?:[tbn"\\\n]|$))*)/y,
} as const

/** Parses the file up to its first fault. @see git-config(1), "Syntax" */
export function parseConfig(text: string): GitConfig {
  const source = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n')
  const entries: ConfigEntry[] = []
  let [section, subsection, offset] = ['', '', 0]
  const take = (element: RegExp) => {
    element.lastIndex = offset
    const match = element.exec(source)
    if (match) offset = element.lastIndex
    return match
  }
  while (offset < source.length) {
    if (take(elements.blank)) continue
    const head = take(elements.section)
    if (head) {
      section = (head[1] ?? head[2] ?? '').toLowerCase()
      subsection = (head[3] ?? '').replace(/\\(.)/g, '$1')
      continue
    }
    const name = take(elements.name)
    if (!name) return { entries, fault: faultAt(source, offset) }
    const value = take(elements.value)
    // A value ends at the end of the line or at a comment. If it ends elsewhere, a quote is not closed.
    if (value && offset < source.length && !/[\n#;]/.test(source.charAt(offset)))
      return { entries, fault: faultAt(source, offset) }
    entries.push({
      section,
      subsection,
      name: (name[1] ?? '').toLowerCase(),
      value: value ? parseValue(value[1] ?? '') : 'true',
    })
  }
  return { entries }
}

function faultAt(source: string, offset: number): string {
  return `its line ${source.slice(0, offset).split('\n').length} is no setting`
}

/** The blanks of git, which are fewer than those of `\s`. */
const blank = /[ \t\r\n]/

/** Removes quotes, and spaces around the value outside of quotes. Joins lines that a backslash continues. */
function parseValue(text: string): string {
  let value = ''
  let quoted = false
  let keep = 0
  for (let index = 0; index < text.length; index++) {
    const char = text.charAt(index)
    if (char === '"') quoted = !quoted
    else if (char === '\\') {
      const escaped = text.charAt(++index)
      value += { n: '\n', t: '\t', b: '\b', '\n': '' }[escaped] ?? escaped
    } else if (quoted || value !== '' || !blank.test(char)) value += char
    if (quoted || char === '"' || !blank.test(char)) keep = value.length
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

/*
 * Git converts files by their attributes when it adds them to the index and when it checks them out: line ends, filters
 * (Git LFS), encodings, `$Id$`. A converted file differs from the stored document, so no attribute may apply to the
 * files of records.
 */

/** Switches conversions off. `working-tree-encoding` cannot be unset, only left unspecified. @see gitattributes(5) */
const unconverted = '-text -eol -filter -ident !working-tree-encoding'

/** In `info/attributes`, the last matching line overrides all other attributes: committed, user and system ones. */
const block = [
  '# Written by git-metastore: git must not convert the files of records. Keep these lines at the end.',
  ...[metastoreFileName, ...Object.values(collectionNames).map(folder => `${folder}/**`)].map(
    pattern => `/${pattern} ${unconverted}`,
  ),
  '',
].join('\n')

/**
 * Appends lines to `info/attributes` that prevent git from converting the files of records.
 * @returns `added-after-others` if the file has other lines, which no longer apply to records
 */
export function guardAttributes(gitDir: string): 'unchanged' | 'added' | 'added-after-others' {
  const file = join(gitDir, 'info', 'attributes')
  const text = undefinedIfMissing(() => readFileSync(file, 'utf8')) ?? ''
  if (text.endsWith(block) && (text.length === block.length || text.at(-block.length - 1) === '\n'))
    return 'unchanged'
  const others = text.replaceAll(block, '')
  const separator = others === '' || others.endsWith('\n') ? '' : '\n'
  mkdirSync(dirname(file), { recursive: true })
  replaceFileAtomically(file, `${others}${separator}${block}`)
  return /^[^#\s]/m.test(others) ? 'added-after-others' : 'added'
}
