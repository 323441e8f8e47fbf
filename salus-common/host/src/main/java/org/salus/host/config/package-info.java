/**
 * Settings: key, default, documentation and check of each stand side by side, and are read once
 * into a typed record per group. {@code docs/configuration.md} is generated from them. Invariant:
 * no key is read anywhere else.
 */
package org.salus.host.config;
