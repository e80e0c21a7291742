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
