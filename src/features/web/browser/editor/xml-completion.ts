import type { CompletionSource } from '@codemirror/autocomplete'
import { type AttrSpec, completeFromSchema, type ElementSpec } from '@codemirror/lang-xml'
import { syntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'
import type { SyntaxNode } from '@lezer/common'
import type { OutlineMember, OutlineType, SchemaOutline } from '../api/interface-types.js'
import { words } from '../words.js'
import { infoOf } from './json-completion.js'

/*
 * Elements, attributes and their values for an XML text, from the outline of its XML Schema.
 */

/**
 * Completes what the type of the element at the caret may have. An element has its type by the elements around it, so the
 * same name may have another content elsewhere.
 */
export function xmlCompletion(outline: SchemaOutline): CompletionSource {
  return context => completeFromSchema(elementsAt(outline, context.state, context.pos), [])(context)
}

/** The prefixes and the namespaces that they mean at a place; the empty prefix is that of names without one. */
type Scope = ReadonlyMap<string, string>

/** The elements around a place whose type is known, what they may contain, and the roots. */
function elementsAt(outline: SchemaOutline, state: EditorState, pos: number): readonly ElementSpec[] {
  let members: readonly OutlineMember[] = outline.roots
  let scope: Scope = new Map()
  const around: ElementSpec[] = []
  const possible = possibleChildren(members, scope).map(spec => ({ ...spec, top: true }))
  for (const node of elementsAround(syntaxTree(state).resolveInner(pos, -1))) {
    const tag = node.getChild('OpenTag') ?? node.getChild('SelfClosingTag')
    const written = tag ? textOf(state, tag.getChild('TagName')) : ''
    if (!tag || written === '') break
    scope = scopeIn(state, tag, scope)
    const found = members.find(member => member.kind === 'element' && isNamed(member, written, scope))
    if (!found) {
      around.push({ name: written, children: [] })
      members = []
      continue
    }
    const type = typeOf(outline, found)
    members = type.members ?? []
    const children = possibleChildren(members, scope)
    possible.push(...children.map(spec => ({ ...spec, top: false })))
    around.push({
      name: written,
      children: children.map(({ name }) => name),
      textContent: valuesOf(outline, found),
      attributes: [...namespaceOf(found, scope), ...attributesOf(outline, members, scope)],
    })
  }
  // Of two elements with one name the last one counts: the innermost around the place.
  return [...possible, ...around]
}

function elementsAround(node: SyntaxNode): readonly SyntaxNode[] {
  const found: SyntaxNode[] = []
  for (let at: SyntaxNode | null = node; at; at = at.parent) if (at.name === 'Element') found.push(at)
  return found.reverse()
}

function possibleChildren(members: readonly OutlineMember[], scope: Scope): readonly ElementSpec[] {
  return members
    .filter(({ kind }) => kind === 'element')
    .map(member => ({ name: nameIn(member, scope), children: [], completion: completionOf(member) }))
}

function attributesOf(
  outline: SchemaOutline,
  members: readonly OutlineMember[],
  scope: Scope,
): readonly AttrSpec[] {
  return members
    .filter(({ kind }) => kind === 'attribute')
    .map(member => ({
      name: nameIn(member, scope),
      values: valuesOf(outline, member),
      completion: completionOf(member),
    }))
}

/** A declaration of the namespace that the element has by the schema, if the text lacks it. */
function namespaceOf({ namespace }: OutlineMember, scope: Scope): readonly AttrSpec[] {
  const isBound = namespace === undefined || [...scope.values()].includes(namespace)
  return isBound ? [] : [{ name: 'xmlns', values: [namespace] }]
}

function completionOf({ min, documentation }: OutlineMember) {
  return { ...(min > 0 && { detail: words.required, boost: 1 }), ...infoOf(documentation) }
}

function valuesOf(outline: SchemaOutline, member: OutlineMember): readonly string[] {
  if (member.fixed !== undefined) return [String(member.fixed)]
  const found: string[] = []
  const keys = new Set(member.type === undefined ? [] : [member.type])
  // A set also gives what is added meanwhile.
  for (const key of keys) {
    const { values, kinds, alternatives = [], text } = outline.types[key] ?? {}
    if (values) found.push(...values.map(({ value }) => String(value)))
    else if (kinds?.includes('boolean')) found.push('true', 'false')
    for (const other of [text, ...alternatives]) if (other !== undefined) keys.add(other)
  }
  return found
}

function typeOf(outline: SchemaOutline, { type }: OutlineMember): OutlineType {
  return (type !== undefined && outline.types[type]) || {}
}

/** The name of a member as it is written at a place. */
function nameIn({ name, namespace = '', kind }: OutlineMember, scope: Scope): string {
  // An attribute without a prefix is in no namespace.
  if (kind === 'attribute' && namespace === '') return name
  const prefix = [...scope].find(
    ([each, bound]) => bound === namespace && (kind === 'element' || each !== ''),
  )?.[0]
  return prefix ? `${prefix}:${name}` : name
}

/** Whether an element is written so. A prefix without a declaration may mean any namespace. */
function isNamed({ name, namespace = '' }: OutlineMember, written: string, scope: Scope): boolean {
  const [local = '', prefix = ''] = written.split(':').reverse()
  const bound = scope.get(prefix)
  return local === name && (bound === undefined || bound === namespace)
}

function scopeIn(state: EditorState, tag: SyntaxNode, around: Scope): Scope {
  const scope = new Map(around)
  for (const attribute of tag.getChildren('Attribute')) {
    const declared = /^xmlns(?::(.+))?$/.exec(textOf(state, attribute.getChild('AttributeName')))
    const value = attribute.getChild('AttributeValue')
    if (declared && value) scope.set(declared[1] ?? '', textOf(state, value).slice(1, -1))
  }
  return scope
}

function textOf(state: EditorState, node: SyntaxNode | null): string {
  return node ? state.sliceDoc(node.from, node.to) : ''
}
