# One GET with Tcl's http package; without an argument, its version.
if {$argc == 0} { puts $tcl_version; exit }
package require http
::http::geturl [lindex $argv 0]
