#!/usr/bin/env bash
# Apache Tomcat's WebDAV servlet:  tomcat-dav.sh start DIR | stop DIR
# The collection /dav/ lies in DIR/data; basic authentication, alice with secret.
# Its first PUT with a `Content-Range` makes a file as long as the total, whatever has arrived.
# A later start on the same DIR has the same data and the same address.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Servers/common.sh
source "$here/common.sh"

user=alice password=secret home=/usr/share/tomcat10

server_xml() {
    cat <<CONF
<Server port="-1">
  <Service name="Catalina">
    <Connector port="${ports[0]}" address="127.0.0.1" protocol="HTTP/1.1"/>
    <Engine name="Catalina" defaultHost="localhost">
      <Realm className="org.apache.catalina.realm.MemoryRealm" pathname="conf/users.xml"/>
      <Host name="localhost" appBase="apps" autoDeploy="false" deployOnStartup="false">
        <Context path="/dav" docBase="$dir/data"/>
      </Host>
    </Engine>
  </Service>
</Server>
CONF
}

web_xml() {
    cat <<CONF
<web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="6.0">
  <servlet>
    <servlet-name>webdav</servlet-name>
    <servlet-class>org.apache.catalina.servlets.WebdavServlet</servlet-class>
    <init-param><param-name>listings</param-name><param-value>true</param-value></init-param>
    <init-param><param-name>readonly</param-name><param-value>false</param-value></init-param>
  </servlet>
  <servlet-mapping><servlet-name>webdav</servlet-name><url-pattern>/*</url-pattern></servlet-mapping>
  <security-constraint>
    <web-resource-collection>
      <web-resource-name>all</web-resource-name><url-pattern>/*</url-pattern>
    </web-resource-collection>
    <auth-constraint><role-name>dav</role-name></auth-constraint>
  </security-constraint>
  <login-config><auth-method>BASIC</auth-method></login-config>
  <security-role><role-name>dav</role-name></security-role>
</web-app>
CONF
}

start() {
    need java curl
    (($# == 0)) || die "unknown option $1"
    [[ -e $home/bin/bootstrap.jar ]] || die "'$home' is missing; run scripts/install-packages.sh servers"
    load_ports 1
    mkdir -p "$dir"/{conf,data,temp,work,logs,apps}
    server_xml >"$dir/conf/server.xml"
    web_xml >"$dir/conf/web.xml"
    echo "<tomcat-users><user username='$user' password='$password' roles='dav'/></tomcat-users>" >"$dir/conf/users.xml"
    # The simplest compiler and collector: it starts in half the time and with a third of the memory.
    spawn tomcat java -Xmx192m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Dcatalina.home="$home" \
        -Dcatalina.base="$dir" -Djava.io.tmpdir="$dir/temp" -cp "$home/bin/bootstrap.jar:$home/bin/tomcat-juli.jar" \
        org.apache.catalina.startup.Bootstrap start
    wait_ready curl -sf --noproxy '*' -u "$user:$password" -X OPTIONS "http://127.0.0.1:${ports[0]}/dav/"
    publish "ENDPOINT=http://127.0.0.1:${ports[0]}/dav/" "DATA=$dir/data" "USERNAME=$user" "PASSWORD=$password"
}

run "$@"
