/** A part of the text of a search box. */
export type QueryToken =
  | { readonly type: 'open' | 'close' | 'and' | 'or' }
  /** `NOT`, or a minus directly before the next token. */
  | { readonly type: 'not'; readonly isMinus: boolean }
  /** The name before a colon. The next token is its value. */
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'phrase'; readonly text: string }
  | { readonly type: 'word'; readonly text: string }

/** Beginnings of identifiers and addresses, such as `doi:`, which are no names of fields although a colon follows. */
const schemes: ReadonlySet<string> = new Set([
  'ark',
  'doi',
  'ftp',
  'hdl',
  'http',
  'https',
  'mailto',
  'urn',
  'uuid',
])

const fieldName = /[\p{L}_@*][\p{L}\p{N}_.@*-]*(?=:)/uy
const blank = /\s/u
const endOfWord = /[\s"()]/u

/**
 * Splits the text of a search box. Every text can be split.
 * @param notes receives a sentence for each part that may mean something else than the person expects
 */
export function queryTokens(text: string, notes: string[]): readonly QueryToken[] {
  const tokens: QueryToken[] = []
  let offset = 0
  /** Whether a field has just been read, whose value follows. */
  let expectsValue = false
  while (offset < text.length) {
    const character = text.charAt(offset)
    if (blank.test(character)) {
      offset++
    } else if (character === '(' || character === ')') {
      tokens.push({ type: character === '(' ? 'open' : 'close' })
      offset++
    } else if (character === '"') {
      const end = text.indexOf('"', offset + 1)
      const name = text.slice(offset + 1, end).trim()
      if (
        end >= 0 &&
        !expectsValue &&
        name !== '' &&
        text.charAt(end + 1) === ':' &&
        hasValueAt(text, end + 2)
      ) {
        tokens.push({ type: 'field', name })
        offset = end + 2
        expectsValue = true
        continue
      }
      if (end < 0) notes.push('A quotation mark has no partner: the text after it is searched as words.')
      else tokens.push({ type: 'phrase', text: text.slice(offset + 1, end) })
      offset = end < 0 ? offset + 1 : end + 1
    } else if (
      character === '-' &&
      !expectsValue &&
      offset + 1 < text.length &&
      !blank.test(text.charAt(offset + 1))
    ) {
      tokens.push({ type: 'not', isMinus: true })
      offset++
    } else {
      const name = expectsValue ? undefined : fieldAt(text, offset)
      if (name !== undefined) {
        tokens.push({ type: 'field', name })
        offset += name.length + 1
        expectsValue = true
        continue
      }
      const end = endOf(text, offset)
      tokens.push(tokenOf(text.slice(offset, end), expectsValue))
      offset = end
    }
    expectsValue = false
  }
  return tokens
}

/** The name of a field at a position; undefined for `http://…`, and for a colon that ends a word. */
function fieldAt(text: string, offset: number): string | undefined {
  fieldName.lastIndex = offset
  const name = fieldName.exec(text)?.[0]
  if (name === undefined || schemes.has(name.toLowerCase())) return undefined
  return hasValueAt(text, offset + name.length + 1) ? name : undefined
}

/** Whether the value of a field can begin at a position, which is directly after a colon. */
function hasValueAt(text: string, offset: number): boolean {
  const value = text.charAt(offset)
  return value !== '' && !blank.test(value) && value !== ':' && value !== ')'
}

function endOf(text: string, from: number): number {
  let end = from + 1
  while (end < text.length && !endOfWord.test(text.charAt(end))) end++
  return end
}

function tokenOf(word: string, isValue: boolean): QueryToken {
  if (!isValue && word === 'AND') return { type: 'and' }
  if (!isValue && word === 'OR') return { type: 'or' }
  if (!isValue && word === 'NOT') return { type: 'not', isMinus: false }
  return { type: 'word', text: word }
}
