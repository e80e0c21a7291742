import { nameInWords } from '../../../../core/text/name-in-words.js'
import type { JsonChange } from '../api/interface-types.js'
import type { RecordName } from '../api/records.js'

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

/** Whether every new version of a record has this change: of its number, its time, and the link to the version before. */
export function isOfEveryVersion(
  { path, value, before }: JsonChange,
  { collection, id }: RecordName,
): boolean {
  if (path === '/version' || path === '/lastUpdate') return true
  const own = `/${collection}/${encodeURIComponent(id)}?version=`
  const isOwn = (each: unknown) => each === undefined || JSON.stringify(each).includes(own)
  return path.startsWith('/relatedIdentifiers/') && isOwn(value) && isOwn(before)
}
