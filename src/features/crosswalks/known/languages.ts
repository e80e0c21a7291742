/*
 * Languages as documents write them: codes of ISO 639-1 and 639-2 (both forms), and English and own names.
 * @see https://www.loc.gov/standards/iso639-2/php/code_list.php
 */

const languageForms = `
  ar ara arabic | bg bul bulgarian | ca cat catalan | cs ces cze czech čeština | cy cym wel welsh |
  da dan danish dansk | de deu ger german deutsch | el ell gre greek | en eng english | es spa spanish español |
  et est estonian | eu eus baq basque | fa fas per persian | fi fin finnish suomi | fr fra fre french français |
  ga gle irish | gl glg galician | he heb hebrew | hi hin hindi | hr hrv scr croatian |
  hu hun hungarian magyar | hy hye arm armenian | id ind indonesian | is isl ice icelandic |
  it ita italian italiano | ja jpn japanese | ka kat geo georgian | ko kor korean | la lat latin |
  lb ltz luxembourgish | lt lit lithuanian | lv lav latvian | mk mkd mac macedonian | ms msa may malay |
  mt mlt maltese | nb nob | nl nld dut dutch nederlands | nn nno | no nor norwegian norsk |
  pl pol polish polski | pt por portuguese português | ro ron rum romanian | ru rus russian | sa san sanskrit |
  sk slk slo slovak | sl slv slovenian | sq sqi alb albanian | sr srp scc serbian | sv swe swedish svenska |
  sw swa swahili | th tha thai | tr tur turkish | uk ukr ukrainian | vi vie vietnamese | zh zho chi chinese
`

/** Addresses of lists of languages, before a code. */
const lists = [
  'http://publications.europa.eu/resource/authority/language/',
  'http://id.loc.gov/vocabulary/iso639-1/',
  'http://id.loc.gov/vocabulary/iso639-2/',
  'http://lexvo.org/id/iso639-1/',
  'http://lexvo.org/id/iso639-3/',
]

const forms = languageForms
  .split('|')
  .map(language => language.trim().split(/\s+/))
  .filter(([tag = '']) => tag !== '')
// A tag in capitals is a form of the tag.
const rows = forms.flatMap(([tag = '', ...others]) => [tag, ...others].map(form => [form, tag] as const))
const addresses = forms.flatMap(([tag = '', ...others]) =>
  lists.flatMap(list =>
    [tag, ...others.filter(form => form.length === 3)].map(code => [list + code, tag] as const),
  ),
)

// `und` says that the language is not known.
const languages = { ...Object.fromEntries(rows), und: '' }
const languageAddresses = { ...languages, ...Object.fromEntries(addresses) }

/** The text at the path as a language tag, such as `de` for `ger` and for `German`. */
export function languageAt(path: string): object {
  return { path, values: languages }
}

/** As `languageAt`, for texts that may be addresses of languages, as in linked data. */
export function languageOrAddressAt(path: string): object {
  return { path, values: languageAddresses }
}

/** As `languageAt`, for references to the locales of ISO 19139, such as `#DE` and `#locale-ger`. */
export function localeAt(path: string): object {
  const values = forms.flatMap(([tag = '', ...others]) =>
    ['#', '#locale-'].flatMap(start => [tag, ...others].map(form => [start + form, tag])),
  )
  return { path, values: Object.fromEntries(values), only: true }
}
