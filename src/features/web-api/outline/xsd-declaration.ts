import type { Place } from '../../../validation/xml/components/schema-files.js'
import {
  attributeOf,
  expanded,
  resolveName,
  type SchemaNode,
} from '../../../validation/xml/components/schema-tree.js'
import { type Documentation, readDocumentation } from '../../../validation/xml/schema-documentation.js'
import { documentationText, type OutlineMember } from './schema-outline.js'

/*
 * What one declaration of an XML Schema says: its name, how often it occurs, its documentation.
 */

/** How often something may occur; `max` is undefined for no limit. */
export type Occurrence = Pick<OutlineMember, 'min' | 'max'>

/** The expanded name of a reference. A file without a namespace may have got that of the file that includes it. */
export function named(reference: string, { node, schema }: Place): string {
  const [namespace, local] = resolveName(reference, node.scope)
  return expanded(namespace === '' && schema.isChameleon ? schema.target : (namespace ?? '?'), local)
}

export function isAbstract({ node }: Place): boolean {
  return attributeOf(node, 'abstract') === 'true' || attributeOf(node, 'abstract') === '1'
}

export function isQualified({ node, schema }: Place, kind: 'element' | 'attribute'): boolean {
  return (attributeOf(node, 'form') ?? attributeOf(schema.root, `${kind}FormDefault`)) === 'qualified'
}

export function occurrenceOf(node: SchemaNode): Occurrence {
  const min = Number(attributeOf(node, 'minOccurs') ?? 1)
  const most = attributeOf(node, 'maxOccurs') ?? '1'
  return { min: Number.isSafeInteger(min) ? min : 1, ...(most !== 'unbounded' && { max: Number(most) }) }
}

/** How often something may occur in a group that occurs itself several times. */
export function within(around: Occurrence, own: Occurrence, isChoice: boolean): Occurrence {
  const isUnlimited = around.max === undefined || own.max === undefined
  const max = isUnlimited
    ? undefined
    : Math.min(Number.MAX_SAFE_INTEGER, Number(around.max) * Number(own.max))
  const isNever = around.max === 0 || own.max === 0
  return {
    min: isChoice ? 0 : Math.min(Number.MAX_SAFE_INTEGER, around.min * own.min),
    ...(isNever ? { max: 0 } : max !== undefined && { max }),
  }
}

/**
 * The documentation of a file of an XML schema by the position of the element that it documents. If there are several
 * languages, the text is English, else in the first language.
 * @param text a well-formed schema
 */
export function documentationOf(text: string): ReadonlyMap<number, string> {
  const texts = [...readDocumentation(text)].flatMap(([start, all]) => {
    const written = documentationText(inOneLanguage(all).join('\n\n'))
    return written === undefined ? [] : [[start, written] as const]
  })
  return new Map(texts)
}

function inOneLanguage(all: readonly Documentation[]): readonly string[] {
  const english = all.find(({ language }) => /^en\b/i.test(language))
  const wanted = (english ?? all[0])?.language
  return all.filter(({ language }) => language === wanted).map(({ text }) => text)
}
