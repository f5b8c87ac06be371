# Sourced by ./dev and check_viewer: builds the viewer's page, which takes Node.js 18 or newer with npm.
# shellcheck shell=bash

# A no-op where viewer/web has what its lock file says.
install_page_tools() {
    [[ viewer/web/node_modules/.package-lock.json -nt viewer/web/package-lock.json ]] && return
    if [[ -n ${TESELA_NO_INSTALL:-} ]]; then
        echo "viewer/web/node_modules is missing or old, and TESELA_NO_INSTALL is set"
        return 1
    fi
    (cd viewer/web && npm ci --ignore-scripts)
}

# In build/viewer/web, where CMake takes it into the program. Without npm the program has no page, and says so.
build_page() {
    local log=build/log/page.log
    if ! command -v npm >/dev/null; then
        say "the viewer's page: not built (no npm; it comes with Node.js)"
        return 0
    fi
    mkdir -p build/log
    { install_page_tools && (cd viewer/web && npm run --silent build -- ../../build/viewer/web); } >"$log" 2>&1 || {
        tail -n 20 "$log" >&2
        say "the viewer's page: not built (the whole output: $log)"
    }
}
