import { Button } from '../parts/button.tsx'
import { Icon, Logo } from '../parts/icon.tsx'
import { OTHER_PLACES } from './routing/places.ts'

const REFERENCE = OTHER_PLACES.filter(({ path }) => path === '/docs/reference')

/** The rail of somebody who is not signed in: it asks the service for nothing. */
export function GuestRail({ path }: { path: string }) {
  return (
    <aside class="rail">
      <a class="brand" href="/" aria-label="Headgate, overview">
        <Logo />
        Headgate
      </a>
      <div class="guest">
        <p>You read this without being signed in.</p>
        <Button class="primary" href={doorOf(path)}>
          Sign in
        </Button>
      </div>
      <nav class="nav" aria-label="Main">
        <ul>
          {REFERENCE.map((place) => (
            <li key={place.path}>
              <a href={place.path} aria-current="page" title={place.name}>
                <Icon name={place.icon} />
                <span>{place.name}</span>
              </a>
            </li>
          ))}
          <li>
            <a href="/docs" title="Documentation">
              <Icon name="book" />
              <span>Documentation</span>
            </a>
          </li>
        </ul>
      </nav>
    </aside>
  )
}

export function GuestTabBar({ path }: { path: string }) {
  return (
    <nav class="tabbar" aria-label="Main, small screens">
      {REFERENCE.map((place) => (
        <a key={place.path} href={place.path} aria-current="page">
          <Icon name={place.icon} />
          {place.name}
        </a>
      ))}
      <a href={doorOf(path)}>
        <Icon name="key" />
        Sign in
      </a>
    </nav>
  )
}

function doorOf(path: string): string {
  return `/sign-in?then=${encodeURIComponent(path)}`
}
