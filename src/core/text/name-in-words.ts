const abbreviations = new Set(['id', 'uri', 'url', 'doi', 'iri', 'isbn', 'issn', 'xml', 'json', 'crs'])

/** A name of a document or a schema in words: `nameIdentifierScheme` as `Name identifier scheme`, `DOI_list` as `DOI list`. */
export function nameInWords(name: string): string {
  const words = name
    .replace(/[_\-.]+/g, ' ')
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .trim()
    .split(' ')
    .map(word => (word === 'lang' ? 'language' : word))
    .map(word => (abbreviations.has(word.toLowerCase()) ? word.toUpperCase() : word))
    .map(word => (/^\p{Lu}\p{Ll}+$/u.test(word) ? word.toLowerCase() : word))
    .join(' ')
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1)
}

/** A step of an XPath: an attribute, or an element with its number among its like. */
const xmlStep = /^@?(?:[\w.-]+:)?([\p{L}_][\p{L}\w.-]*)(?:\[(\d+)\])?$/u

/**
 * A place of a document in words: `/mass/value` as `Mass › Value`, `/resource/titles[1]/title[2]` as `Titles › Title 2`.
 * @param path a JSON Pointer, or an XPath
 * @returns the path itself, if it has a step that is no name
 */
export function placeInWords(path: string): string {
  const steps = path.split('/').slice(1)
  if (!/\[\d+\]/.test(path)) return steps.map(jsonStepInWords).join(' › ')
  // All are inside of the root; a text is that of its element.
  const own = steps.slice(1).filter(step => !step.startsWith('text()'))
  const words = (own.length === 0 ? steps.slice(0, 1) : own).map(step => {
    const [, name = '', number = '1'] = xmlStep.exec(step) ?? []
    return name === '' ? undefined : `${nameInWords(name)}${number === '1' ? '' : ` ${number}`}`
  })
  return words.includes(undefined) ? path : words.join(' › ')
}

/** Entries of lists count from 1. */
function jsonStepInWords(step: string): string {
  return /^\d+$/.test(step)
    ? String(Number(step) + 1)
    : nameInWords(step.replaceAll('~1', '/').replaceAll('~0', '~'))
}
