/** Codes of the European Union's list of languages, by codes of two letters. */
const codes = {
  ar: 'ARA',
  bg: 'BUL',
  ca: 'CAT',
  cs: 'CES',
  cy: 'CYM',
  da: 'DAN',
  de: 'DEU',
  el: 'ELL',
  en: 'ENG',
  es: 'SPA',
  et: 'EST',
  eu: 'EUS',
  fa: 'FAS',
  fi: 'FIN',
  fr: 'FRA',
  ga: 'GLE',
  he: 'HEB',
  hi: 'HIN',
  hr: 'HRV',
  hu: 'HUN',
  is: 'ISL',
  it: 'ITA',
  ja: 'JPN',
  ko: 'KOR',
  lt: 'LIT',
  lv: 'LAV',
  mt: 'MLT',
  nl: 'NLD',
  no: 'NOR',
  pl: 'POL',
  pt: 'POR',
  ro: 'RON',
  ru: 'RUS',
  sk: 'SLK',
  sl: 'SLV',
  sr: 'SRP',
  sv: 'SWE',
  tr: 'TUR',
  uk: 'UKR',
  vi: 'VIE',
  zh: 'ZHO',
}
const threeLetters = new Map(Object.entries(codes))
const knownCodes = new Map(Object.values(codes).map(code => [code.toLowerCase(), code]))

/** The IRI of a language in the European Union's list, by its tag; undefined for other languages. */
export function languageIri(tag: string): string | undefined {
  const [language = ''] = tag.toLowerCase().split('-')
  const code = threeLetters.get(language) ?? knownCodes.get(language)
  return code && `http://publications.europa.eu/resource/authority/language/${code}`
}
