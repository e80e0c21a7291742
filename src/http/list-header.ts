/** An element between commas, or a parameter between semicolons. Separators within quotes do not count. */
const element = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g
const parameter = /(?:[^;"]|"(?:[^"\\]|\\.)*"?)+/g

/** The elements of a header that is a list, without the empty ones. @see RFC 9110 §5.6.1.2 */
export function listElements(header: string | undefined): readonly string[] {
  return partsOf(header ?? '', element)
}

/** The parts between the semicolons of an element of a list: a name, and its parameters. */
export function partsOfElement(text: string): readonly string[] {
  return partsOf(text, parameter)
}

/** The content codings of a body, in lower case, without `identity`. @param header `Content-Encoding` */
export function contentCodings(header: string | undefined): readonly string[] {
  return listElements(header?.toLowerCase()).filter(coding => coding !== 'identity')
}

/** A parameter `name=value`; undefined without an equals sign. The name is in lower case, the value without quotes. */
export function parameterIn(text: string): { readonly name: string; readonly value: string } | undefined {
  const equals = text.indexOf('=')
  if (equals < 0) return undefined
  return { name: text.slice(0, equals).trim().toLowerCase(), value: unquoted(text.slice(equals + 1).trim()) }
}

function unquoted(text: string): string {
  return text.startsWith('"') ? text.replace(/^"|"$/g, '').replace(/\\(.)/g, '$1') : text
}

function partsOf(text: string, part: RegExp): readonly string[] {
  return (text.match(part) ?? []).map(each => each.trim()).filter(each => each !== '')
}
