import type { Declaration, Member } from './declaration.js'

/*
 * Documents to start from: what a schema requires, with empty values, or the only permitted value.
 */

/** Limits of the levels and of the members of a skeleton. */
const most = { levels: 8, members: 200 }

/** A JSON document to start from. */
export function jsonSkeleton(root: Declaration): string {
  const left = { members: most.members }
  return JSON.stringify(jsonValue(root, 0, left), null, 2)
}

function jsonValue(given: Declaration, level: number, left: { members: number }): unknown {
  const [only, ...others] = given.enumeration
  if (only !== undefined && others.length === 0) return only
  const [first] = given.alternatives()
  const declaration = given.members().length === 0 && first && level <= most.levels ? first : given
  const members = requiredOf(declaration, level)
  if (members.length > 0 || declaration.type.startsWith('group')) {
    const object: [string, unknown][] = []
    for (const { name, declaration: inner } of members) {
      if (left.members-- <= 0) break
      object.push([name, jsonValue(inner, level + 1, left)])
    }
    return Object.fromEntries(object)
  }
  const entry = declaration.entry()
  if (declaration.type.startsWith('list') || entry) {
    return entry && level < most.levels ? [jsonValue(entry, level + 1, left)] : []
  }
  if (declaration.type === 'yes or no') return false
  if (declaration.type === 'number' || declaration.type === 'whole number') return 0
  return declaration.type === 'nothing' ? null : (declaration.examples[0] ?? '')
}

/** The required members; those of the schema itself if it requires none. */
function requiredOf(declaration: Declaration, level: number): readonly Member[] {
  if (level > most.levels) return []
  const members = declaration.members()
  const required = members.filter(({ min }) => min > 0)
  return required.length > 0 || level > 0 ? required : members.slice(0, 20)
}

/** An XML document to start from. @param namespace of the root element; empty for none */
export function xmlSkeleton(root: Member, namespace: string): string {
  const left = { members: most.members }
  const declared = namespace === '' ? '' : ` xmlns="${escaped(namespace)}"`
  return `<?xml version="1.0" encoding="UTF-8"?>\n${xmlElement(root, declared, 0, left)}`
}

function xmlElement(
  { name, declaration }: Member,
  declared: string,
  level: number,
  left: { members: number },
): string {
  const indent = '  '.repeat(level)
  const required = requiredOf(declaration, level)
  const attributes = required
    .filter(({ isAttribute }) => isAttribute)
    .map(member => ` ${member.name}="${escaped(onlyValue(member.declaration))}"`)
    .join('')
  const start = `${indent}<${name}${declared}${attributes}`
  const inner: string[] = []
  for (const member of required) {
    if (member.isAttribute || left.members-- <= 0) continue
    inner.push(xmlElement(member, '', level + 1, left))
  }
  if (inner.length > 0) return `${start}>\n${inner.join('\n')}\n${indent}</${name}>`
  return `${start}>${escaped(onlyValue(declaration))}</${name}>`
}

function onlyValue({ enumeration }: Declaration): string {
  return enumeration.length === 1 ? (enumeration[0] ?? '') : ''
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;')
}
