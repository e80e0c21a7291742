/** A line of a comparison: removed, added, in both versions, or a sentence about the file. */
export interface ComparedLine {
  readonly sign: '-' | '+' | ' ' | '\\'
  readonly text: string
}

/** Lines that follow each other in a file. */
export interface ComparedPart {
  /** Number of the first line in the later version, from 1. Undefined: the lines are a sentence about the file. */
  readonly line: number | undefined
  readonly lines: ComparedLine[]
}

export interface ComparedFile {
  readonly path: string
  readonly parts: ComparedPart[]
}

const head = 'diff --git '

/**
 * The files of a unified diff. The heads of parts count the lines, so a line of a file that looks like a head is a line.
 * @see https://www.gnu.org/software/diffutils/manual/html_node/Detailed-Unified.html
 */
export function readUnifiedDiff(diff: string): readonly ComparedFile[] {
  const files: ComparedFile[] = []
  let [before, after] = [0, 0]
  for (const line of diff.split('\n')) {
    const file = files.at(-1)
    const part = file?.parts.at(-1)
    const sign = line[0]
    if (part && (before > 0 || after > 0) && (sign === '-' || sign === '+' || sign === ' ')) {
      if (sign !== '+') before--
      if (sign !== '-') after--
      part.lines.push({ sign, text: line.slice(1) })
      continue
    }
    if (part && sign === '\\') {
      part.lines.push({ sign, text: line.slice(2) })
      continue
    }
    if (line.startsWith(head)) {
      files.push({ path: pathIn(line.slice(head.length)), parts: [] })
      continue
    }
    const [, old = '1', from, now = '1'] = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line) ?? []
    if (from !== undefined) {
      ;[before, after] = [Number(old), Number(now)]
      file?.parts.push({ line: Number(from), lines: [] })
    } else if (/^(?:Binary files|Files) .* (?:differ|differ too much to compare)$/.test(line)) {
      file?.parts.push({ line: undefined, lines: [{ sign: '\\', text: line }] })
    }
  }
  return files
}

/** The path in `a/path b/path`. Git puts quotes around both if a path has a quote or a control character. */
function pathIn(names: string): string {
  const name = names.slice(0, (names.length - 1) / 2)
  return name.startsWith('"') ? name.slice(3, -1) : name.slice(2)
}
