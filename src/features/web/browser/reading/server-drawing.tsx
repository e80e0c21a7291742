import { type ComponentChild, h } from 'preact'
import { useMemo } from 'preact/hooks'
import type { RecordName } from '../api/records.js'
import { currentSession } from '../login/login-session.js'
import { landingPage } from './record-link.js'

/*
 * The drawing of a schema or document on the page of the server, for people who are logged in: that page itself knows no
 * login. The application draws nothing of it but elements and attributes that are listed here.
 */

/**
 * Reads the drawing of a version of a record.
 * @returns null if there is none, or if the page cannot be read
 */
export async function readDrawing(
  name: RecordName,
  version: number,
  signal: AbortSignal,
): Promise<Element | null> {
  // Trusted Types allow this way to parse a page without a policy.
  const request = new XMLHttpRequest()
  request.open('GET', landingPage(name, version))
  request.responseType = 'document'
  request.setRequestHeader('Accept', 'text/html')
  const { token } = currentSession()
  if (token !== undefined) request.setRequestHeader('Authorization', `Bearer ${token}`)
  return await new Promise(resolve => {
    request.onloadend = () => {
      const drawing = (request.status === 200 && request.responseXML?.querySelector('main .drawn')) || null
      // That a long document is drawn in part stands before its drawing.
      const before = drawing?.previousElementSibling
      if (before?.matches('p.notice')) drawing?.prepend(before)
      resolve(drawing)
    }
    signal.addEventListener('abort', () => request.abort())
    request.send()
  })
}

const drawnElements = new Set(
  'a br circle code data dd details div dl dt em figcaption figure h3 h4 li ol p path pre section small span strong summary svg table tbody td th thead time tr ul'.split(
    ' ',
  ),
)
const drawnAttributes = new Set(
  'aria-label class cx cy d data-label datetime dir id open r role scope tabindex title value viewBox'.split(
    ' ',
  ),
)

export function ServerDrawing({ drawing }: { readonly drawing: Element }) {
  return useMemo(() => drawn(drawing), [drawing])
}

function drawn(node: Node): ComponentChild {
  if (!(node instanceof Element)) return node.nodeType === Node.TEXT_NODE ? node.nodeValue : null
  const children = [...node.childNodes].map(drawn)
  const name = node.localName
  if (!drawnElements.has(name)) return children
  const attributes: Record<string, string | boolean> = {}
  for (const { name: attribute, value } of node.attributes)
    if (drawnAttributes.has(attribute)) attributes[attribute] = attribute === 'open' ? true : value
  const target = name === 'a' ? node.getAttribute('href') : null
  // The base of the document is that of the service.
  if (target?.startsWith('#')) attributes.href = `${location.pathname}${location.search}${target}`
  else if (target !== null && /^(?:https?|mailto):/.test(target)) attributes.href = target
  return h(name, attributes, ...children)
}
