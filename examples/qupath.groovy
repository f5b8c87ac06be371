// Runs Tesela on the selected region of the image that is open in QuPath 0.4 or later, or on all of it, and adds
// what it finds as objects. docs/slides.md tells more.
import java.awt.geom.AffineTransform
import qupath.lib.io.PathIO
import qupath.lib.objects.PathObjectTools
import qupath.lib.regions.RegionRequest
import static qupath.lib.scripting.QP.*

def tesela = 'tesela'    // or the path of the program
def verb = ['nuclei']    // or another verb with --outlines, and its options: ['mean-shift', '--spatial', '8']
double downsample = 1

def server = getCurrentServer()
def roi = getSelectedROI()
def parent = roi ? getSelectedObject() : getCurrentHierarchy().getRootObject()
def region = roi ? RegionRequest.createInstance(server.getPath(), downsample, roi)
                 : RegionRequest.createInstance(server, downsample)
def folder = File.createTempDir()
def path = { name -> new File(folder, name).path }
writeImageRegion(server, region, path('region.ome.tif'))
def process = new ProcessBuilder([tesela, *verb, path('region.ome.tif'), '--labels', path('labels.tif'),
                                  '--outlines', path('found.geojson')]).redirectErrorStream(true).start()
def messages = process.inputStream.text
if (process.waitFor() != 0) throw new IOException(messages)
def place = new AffineTransform(downsample, 0, 0, downsample, region.x, region.y)
parent.addChildObjects(PathIO.readObjects(new File(path('found.geojson'))).collect {
    PathObjectTools.transformObject(it, place, true)
})
fireHierarchyUpdate()
folder.deleteDir()
println messages
