import { readXml } from '../../../core/xml/xml-reader.js'
import { applyEdits, type Edit } from './corrected-document.js'
import { schemaNamespace } from './schema-tree.js'
import { collapse } from './simple-types.js'

/*
 * libxml2 refuses a declaration of a namespace whose name is no URI reference. XML Schema and Namespaces in XML permit
 * any name. Therefore such names are escaped for the library, in schemas and documents alike.
 */

/** Absolute references, and relative ones without a colon. Other references may be valid, but need not be known. */
const plain =
  /^(?:[A-Za-z][A-Za-z0-9+.-]*:(?:\/\/[\w\-.~]*(?::\d{1,5})?(?=[/?#]|$)|(?!\/\/))(?:[\w\-.~!$&'()*+,;=@/?:]|%[0-9a-fA-F]{2})*|(?:[\w\-.~!$&'()*+,;=@/?]|%[0-9a-fA-F]{2})*)(?:#(?:[\w\-.~!$&'()*+,;=@/?:]|%[0-9a-fA-F]{2})*)?$/
const scheme = 'escaped:'

function escapeName(name: string): string {
  return plain.test(name) ? name : scheme + encodeURIComponent(name).replace(/['()]/g, escapeCharacter)
}

function escapeCharacter(character: string): string {
  return `%${character.charCodeAt(0).toString(16)}`
}

/** Replaces escaped names in a message by the names that were written. */
export function withWrittenNames(message: string): string {
  return message.replace(/escaped:([\w\-.!~*%]*)/g, (whole, name: string) => {
    try {
      return decodeURIComponent(name)
    } catch (error) {
      if (error instanceof URIError) return whole
      throw error
    }
  })
}

/** What libxml2 says about a name that is no URI reference. */
export const namespaceFinding = /^xmlns(?::[^']*)?: '[\s\S]*' is not a valid URI$/

/** Escapes the names of namespaces in a document or schema. @returns the same text if there is nothing to escape */
export function escapeNamespaces(text: string): string {
  const edits: Edit[] = []
  const edit = ({ start, end }: Edit, value: string) => {
    const breaks = text.slice(start, end).replace(/[^\n]/g, '')
    edits.push({ start, end: end + 1, text: `${value}${text.charAt(end)}${breaks}` })
  }
  readXml(text, {
    open({ namespace, local, attributes, declarations }) {
      for (const { value, start, end } of declarations) {
        if (!plain.test(value)) edit({ start, end, text: value }, escapeName(value))
      }
      if (namespace !== schemaNamespace) return
      for (const each of attributes) {
        if (each.namespace !== '') continue
        const isName =
          ['targetNamespace', 'source', 'system'].includes(each.local) ||
          (each.local === 'namespace' && local === 'import')
        const isList = each.local === 'namespace' && (local === 'any' || local === 'anyAttribute')
        if (!isName && !isList) continue
        const value = collapse(each.value)
        const escaped = isList ? value.split(' ').map(escapeListed).join(' ') : escapeName(value)
        if (escaped !== value) edit({ start: each.start, end: each.end, text: value }, escaped)
      }
    },
    close: () => undefined,
  })
  return edits.length === 0 ? text : applyEdits(text, edits)
}

function escapeListed(name: string): string {
  return name.startsWith('##') ? name : escapeName(name)
}
