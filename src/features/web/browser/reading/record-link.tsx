import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter'
import { serviceUrl } from '../api/client.js'
import { withPoint } from '../api/point.js'
import type { RecordName } from '../api/records.js'
import { useSession } from '../login/login-session.js'

/*
 * Where a record is read. The server's page needs no script and has all formats, but the server knows no login there. So a
 * person who is logged in reads records in the application.
 */

/** Address of the page of a record on the server. @param version undefined: the newest */
export function landingPage({ collection, id }: RecordName, version?: number): string {
  const page = collection === 'schemas' ? 'schema-landing-page?schemaId=' : 'metadata-landing-page?id='
  const suffix = version === undefined ? '' : `&version=${version}`
  return withPoint(new URL(`${page}${encodeURIComponent(id)}${suffix}`, serviceUrl).href)
}

/** Address of the page of a record in the application, below its base. @param version undefined: the newest */
export function readingPage({ collection, id }: RecordName, version?: number): string {
  const suffix = version === undefined ? '' : `?version=${version}`
  return `/${collection}/${encodeURIComponent(id)}${suffix}`
}

interface Props {
  readonly record: RecordName
  readonly version?: number | undefined
  readonly label?: string
  readonly isHere?: boolean
  readonly class?: string
  readonly children: ComponentChildren
}

/** A link to the page on which this person can read a record. */
export function RecordLink({ record, version, label, isHere = false, children, ...others }: Props) {
  const { token } = useSession()
  const attributes = {
    ...others,
    ...(label !== undefined && { 'aria-label': label }),
    ...(isHere && { 'aria-current': 'page' as const }),
    dir: 'auto' as const,
  }
  if (token === undefined && !isHere)
    return (
      <a href={landingPage(record, version)} {...attributes}>
        {children}
      </a>
    )
  return (
    <Link href={readingPage(record, version)} {...attributes}>
      {children}
    </Link>
  )
}

/** Opens the page of a record that was just stored, which says so once. A login that is in memory only stays. */
export function useOpenStored(): (record: RecordName) => void {
  const [, navigate] = useLocation()
  return record => navigate(readingPage(record), { state: { isStored: true } })
}

/** Whether the page was opened by {@link useOpenStored}. It is told once: neither a reload nor a way back tells it again. */
export function useIsJustStored(): boolean {
  const [isStored, setIsStored] = useState(false)
  useEffect(() => {
    if ((history.state as { readonly isStored?: boolean } | null)?.isStored !== true) return
    history.replaceState(null, '')
    setIsStored(true)
  }, [])
  return isStored
}
