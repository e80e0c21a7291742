import type {
  DataCiteAffiliation,
  DataCiteName,
  DataCitePublisher,
} from '../../../core/records/datacite-document.js'
import { identifierIri } from '../../../core/text/iri.js'

/*
 * Addresses that stand for people and institutions in linked data and in links.
 */

function addressOf(identifier = '', scheme = ''): string | undefined {
  return identifierIri(identifier, scheme)
}

/** The first identifier of a person or an institution that is an address, such as an ORCID. */
export function agentAddress({ nameIdentifiers = [] }: DataCiteName): string | undefined {
  for (const { nameIdentifier, nameIdentifierScheme } of nameIdentifiers) {
    const address = addressOf(nameIdentifier, nameIdentifierScheme)
    if (address !== undefined) return address
  }
  return undefined
}

/** The identifier of an institution, if it is an address, such as that of ROR. */
export function affiliationAddress({
  affiliationIdentifier,
  affiliationIdentifierScheme,
}: DataCiteAffiliation): string | undefined {
  return addressOf(affiliationIdentifier, affiliationIdentifierScheme)
}

/** The identifier of a publisher, if it is an address. */
export function publisherAddress({
  publisherIdentifier,
  publisherIdentifierScheme,
}: DataCitePublisher): string | undefined {
  return addressOf(publisherIdentifier, publisherIdentifierScheme)
}
